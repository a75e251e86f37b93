// The refusals of the trail's tools: code, a sentence that says what to do, details with ready calls.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import type { NextCall } from '../tasks/advice.js';
import { findTask } from '../tasks/repository.js';
import { taskNumber } from '../tasks/task.js';
import type { RecordArgs } from './record.js';
import type { SessionRow } from './repository.js';

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

// Where a session does not take a thought: the same thought, ready for another place.

/** Without its session and its key, which may be taken elsewhere; about its task, where there is such a one. */
const elsewhere = async (tx: ReadTx, args: RecordArgs, about: string | undefined): Promise<NextCall> => {
  const { type, content, agent_id } = args;
  const isTask = about !== undefined && (await findTask(tx, taskNumber(about) ?? 0)) !== undefined;
  return {
    tool: 'thought_record',
    arguments: { type, content, ...(isTask && { task_id: about }), ...(agent_id !== undefined && { agent_id }) },
  };
};

export const noSkill = (skill: string): DomainError =>
  new DomainError('SKILL_NOT_FOUND', `There is no skill ${short(skill)}. skill_list shows what there is.`, {
    skill,
    next: [{ tool: 'skill_list', arguments: {} }],
  });

export const unknownSession = async (tx: ReadTx, args: RecordArgs, sessionId: string): Promise<DomainError> => {
  const next = fitting([await elsewhere(tx, args, args.task_id)], [LIST_THOUGHTS]);
  return noSession('SESSION_NOT_FOUND', sessionId, next, 'Leave session_id out, or open it with audit_session_start.');
};

export const closedSession = async (tx: ReadTx, args: RecordArgs, session: SessionRow): Promise<DomainError> => {
  const { session_id, finalized_at, task_id } = session;
  const repeated = await elsewhere(tx, args, args.task_id ?? task_id ?? undefined);
  return new DomainError(
    'SESSION_FINALIZED',
    `Session ${short(session_id)} was finalized at ${finalized_at} and takes no more. Leave session_id out, or open a new one.`,
    { session_id, finalized_at, next: fitting([repeated], [thoughtsIn(session_id)]) },
  );
};
