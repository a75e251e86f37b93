// audit_verify_chain. The verification itself is handed in: it reads the store by itself, in threads of its own.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { idField } from '../tasks/fields.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { LIST_THOUGHTS, noSession, noTask } from './errors.js';
import { atMostOne, sessionField } from './fields.js';

export const verifyInput = z
  .strictObject({ session_id: sessionField.optional(), task_id: idField.optional() })
  .refine(atMostOne('session_id', 'task_id'), { error: 'give at most one of session_id, task_id' });
type VerifyArgs = z.infer<typeof verifyInput>;

export type ChainScope =
  | { readonly kind: 'store' }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'task'; readonly id: string };

/** What of a verdict is shown; the rest of it is for people. */
export interface ChainVerdict {
  readonly valid: boolean;
  readonly complete: boolean;
  readonly checked_to_seq?: number;
  readonly scope: ChainScope;
  readonly record_count: number;
  readonly broken_count: number;
  readonly first_broken_at: object | null;
  readonly findings: readonly object[];
  readonly missing: readonly object[];
  readonly remarks: readonly string[];
  readonly checked: readonly string[];
  readonly not_checked: readonly string[];
  readonly custody: object;
}

/** Nothing where there is no such session or task. Answers within its own time limit. */
export type VerifyChain = (scope: ChainScope, signal: AbortSignal) => Promise<ChainVerdict | undefined>;

const scopeOf = ({ session_id, task_id }: VerifyArgs): ChainScope => {
  if (session_id !== undefined) return { kind: 'session', id: session_id };
  return task_id === undefined ? { kind: 'store' } : { kind: 'task', id: taskId(taskNumber(task_id) ?? 0) };
};

const unknown = (scope: ChainScope): Error => {
  if (scope.kind === 'task') return noTask('TASK_NOT_FOUND', scope.id);
  const id = scope.kind === 'session' ? scope.id : '';
  const next = [{ tool: 'audit_verify_chain', arguments: {} }, LIST_THOUGHTS];
  return noSession('SESSION_NOT_FOUND', id, next, 'Leave session_id out to verify everything.');
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const cutText = (text: string): string =>
  text.length <= CORE_LIMITS.messageChars ? text : `${text.slice(0, CORE_LIMITS.messageChars).toWellFormed()}…`;

/** Every text in it cut: names and reasons are the store's, and as long as somebody made them. */
const cut = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) => (typeof part === 'string' ? cutText(part) : part)) as T;

/** The first of a list, as many as fit. */
const fitting = <T>(list: readonly T[], most: number, room: number): T[] => {
  const taken: T[] = [];
  let bytes = 0;
  for (const item of list.slice(0, most)) {
    const next = cut(item);
    bytes += bytesOf(next) + 1;
    if (bytes > room) break;
    taken.push(next);
  }
  return taken;
};

const LISTS = 5;

const shown = (verdict: ChainVerdict) => {
  const head = {
    valid: verdict.valid,
    complete: verdict.complete,
    ...(verdict.checked_to_seq !== undefined && { checked_to_seq: verdict.checked_to_seq }),
    scope: verdict.scope,
    record_count: verdict.record_count,
    broken_count: verdict.broken_count,
    first_broken_at: cut(verdict.first_broken_at),
  };
  const custody = cut(verdict.custody);
  const names = { findings: [], missing: [], remarks: [], checked: [], not_checked: [], custody: {} };
  // Each list has the same share, so that none can crowd out another.
  const room =
    (DOMAIN_LIMITS.resultBytes -
      DOMAIN_LIMITS.resultEnvelopeBytes -
      bytesOf({ ...head, ...names }) -
      bytesOf(custody)) /
    LISTS;
  const findings = fitting(verdict.findings, DOMAIN_LIMITS.shownFindings, room);
  const remarks = fitting(verdict.remarks, DOMAIN_LIMITS.shownVerdictLines, room);
  return {
    ...head,
    ...(findings.length > 0 && { findings }),
    missing: fitting(verdict.missing, DOMAIN_LIMITS.shownVerdictLines, room),
    ...(remarks.length > 0 && { remarks }),
    checked: fitting(verdict.checked, DOMAIN_LIMITS.shownVerdictLines, room),
    not_checked: fitting(verdict.not_checked, DOMAIN_LIMITS.shownVerdictLines, room),
    custody,
  };
};

export const verifyChain = (verify: VerifyChain) => async (args: VerifyArgs, extra: HandlerExtra) => {
  const scope = scopeOf(args);
  const verdict = await verify(scope, extra.signal);
  if (verdict === undefined) throw unknown(scope);
  return shown(verdict);
};
