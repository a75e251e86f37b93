// The tool audit_verify_chain: shows the verdict of a verification. The verifying function is passed in; it reads the store in threads.
import * as z from 'zod';
import { arg, defineTool, type Frozen } from '../../call/define-tool.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { nextCall, noTask } from '../refusal.js';
import { countShape, flagField, missingDetails, sessionDetails, textField } from '../shapes.js';
import { idField } from '../tasks/fields.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { LIST_THOUGHTS, noSession } from './errors.js';
import { atMostOne, sessionField } from './fields.js';
import type { TrailNeeds } from './record.js';

const input = z
  .strictObject({
    session_id: arg(sessionField.optional(), 'Verifies only this session.'),
    task_id: arg(idField.optional(), 'Verifies only the sessions of this task.'),
  })
  .refine(atMostOne('session_id', 'task_id'), { error: 'give at most one of session_id, task_id' });

const where = {
  log: textField.optional().describe('The id of the log that has the record.'),
  seq: countShape.optional().describe('The number of the record in its log.'),
  table: textField.optional().describe('The table of a row.'),
  id: textField.optional().describe('The name of a row.'),
};

const output = z.strictObject({
  valid: flagField.describe('True if no contradiction was found.'),
  complete: flagField.describe('True if everything that was asked for was checked.'),
  checked_to_seq: countShape
    .optional()
    .describe('The number of the record at which the verification stopped when its time was over.'),
  scope: z.strictObject({ kind: z.enum(['store', 'session', 'task']), id: textField.optional() }),
  record_count: countShape.describe(
    'How many records of the ledger, or thoughts of the session or task, were checked.',
  ),
  broken_count: countShape,
  first_broken_at: z.strictObject({ ...where, message: textField }).nullable(),
  findings: z
    .array(z.strictObject({ kind: textField, where: z.strictObject(where), message: textField }))
    .optional()
    .describe('The first 5 contradictions; `colibri verify` shows more.'),
  missing: z
    .array(z.strictObject({ kind: textField, message: textField, count: countShape.optional() }))
    .describe('Evidence that is gone, and whose absence is explained.'),
  remarks: z.array(textField).optional().describe('Facts worth knowing that are not faults.'),
  checked: z.array(textField),
  not_checked: z.array(textField),
  custody: z.strictObject({
    key: textField.describe('Who can read the signing key, and so could sign in the name of Colibri.'),
    heads: textField.describe('Where the signed heads are with which the store was compared to find a rollback.'),
  }),
});
type ShownVerdict = Frozen<z.infer<typeof output>>;

export type ChainScope =
  | { readonly kind: 'store' }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'task'; readonly id: string };

/** The part of a verification's verdict that audit_verify_chain shows; `colibri verify` shows all of it. */
export type ChainVerdict = Omit<ShownVerdict, 'findings' | 'remarks' | 'scope'> & {
  readonly scope: ChainScope;
  readonly findings: NonNullable<ShownVerdict['findings']>;
  readonly remarks: readonly string[];
};

/** Verifies a session, a task or the whole store, within a time limit of its own. Resolves to undefined if the session or task does not exist. */
export type VerifyChain = (scope: ChainScope, signal: AbortSignal) => Promise<ChainVerdict | undefined>;

const scopeOf = ({ session_id, task_id }: z.infer<typeof input>): ChainScope => {
  if (session_id !== undefined) return { kind: 'session', id: session_id };
  return task_id === undefined ? { kind: 'store' } : { kind: 'task', id: taskId(taskNumber(task_id) ?? 0) };
};

const unknown = (scope: ChainScope): Error => {
  if (scope.kind === 'task') return noTask('TASK_NOT_FOUND', scope.id);
  const id = scope.kind === 'session' ? scope.id : '';
  const next = [nextCall('audit_verify_chain'), LIST_THOUGHTS];
  return noSession('SESSION_NOT_FOUND', id, next, 'Leave session_id out to verify everything.');
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const cutText = (text: string): string =>
  text.length <= CORE_LIMITS.messageChars ? text : `${text.slice(0, CORE_LIMITS.messageChars).toWellFormed()}…`;

/** Shortens every text in a value, because names and reasons come from the store and may be of any length. */
const cut = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) => (typeof part === 'string' ? cutText(part) : part)) as T;

/** The first items of a list: at most `most`, and as many as fit into `room` bytes. */
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

const shown = (verdict: ChainVerdict): ShownVerdict => {
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
  // Each list gets the same share of the result's bytes, so that no list can crowd out another.
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

export const auditVerifyChain = defineTool({
  name: 'audit_verify_chain',
  title: 'Verify',
  description: 'Check that no record was changed or taken out: of a session, of a task, or at all.',
  when: 'Before you rely on what is recorded. Without arguments it verifies everything, the ledger included, within 20 seconds.',
  effect: 'read',
  ownSnapshots: true,
  input,
  output,
  errors: {
    SESSION_NOT_FOUND: { when: 'there is no such session', details: sessionDetails },
    TASK_NOT_FOUND: { when: 'there is no such task', details: missingDetails },
  },
  examples: [
    { args: {} },
    { args: { session_id: 'monday' }, error: 'SESSION_NOT_FOUND' },
    { args: { task_id: 'T-9999' }, error: 'TASK_NOT_FOUND' },
    { args: { session_id: '$audit_session_start.session_id' } },
  ],
  run: async (args, extra, { verify }: TrailNeeds) => {
    const scope = scopeOf(args);
    const verdict = await verify(scope, extra.signal);
    if (verdict === undefined) throw unknown(scope);
    return shown(verdict);
  },
});
