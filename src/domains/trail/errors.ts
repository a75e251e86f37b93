// The refusals of the trail's tools: code, a sentence that says what to do, details with ready calls.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import { DOMAIN_LIMITS } from '../limits.js';
import type { NextCall } from '../tasks/advice.js';

/** Works as it is, and shows that nobody replaced it. */
export const CONTENT_TEMPLATE = 'REPLACE THIS: what was decided, and why.';

/** A message is cut at its end, and there stands what to do. */
export const short = (name: string): string =>
  name.length <= DOMAIN_LIMITS.shownNameChars ? name : `${name.slice(0, DOMAIN_LIMITS.shownNameChars).toWellFormed()}…`;

export const LIST_THOUGHTS: NextCall = { tool: 'thought_record_list', arguments: {} };
const LIST_TASKS: NextCall = { tool: 'task_list', arguments: { project: '*' } };

export const thoughtsIn = (session_id: string): NextCall => ({
  tool: 'thought_record_list',
  arguments: { session_id },
});

export const thoughtWhole = (thought_id: string): NextCall => ({
  tool: 'thought_record_list',
  arguments: { thought_id },
});

/** Ready calls repeat the texts that were sent: where they are too long for an answer, others stand in for them. */
export const fitting = (calls: readonly NextCall[], instead: readonly NextCall[]): readonly NextCall[] =>
  Buffer.byteLength(JSON.stringify(calls)) <= DOMAIN_LIMITS.resultBytes - DOMAIN_LIMITS.errorEnvelopeBytes
    ? calls
    : instead;

type Code = Extract<ErrorCode, 'SESSION_NOT_FOUND' | 'ERR_SESSION_NOT_FOUND'>;

export const noSession = (code: Code, session_id: string, next: readonly NextCall[], hint: string): DomainError =>
  new DomainError(code, `There is no session ${short(session_id)}. ${hint}`, { session_id, next });

export const noTask = (code: 'TASK_NOT_FOUND' | 'ERR_NOT_FOUND', task_id: string): DomainError =>
  new DomainError(code, `There is no task ${task_id}. task_list shows what there is.`, {
    missing: [task_id],
    next: [LIST_TASKS],
  });

export const noThought = (thought_id: string): DomainError =>
  new DomainError(
    'THOUGHT_NOT_FOUND',
    `There is no thought ${short(thought_id)}. thought_record_list shows what there is.`,
    { thought_id, next: [LIST_THOUGHTS] },
  );
