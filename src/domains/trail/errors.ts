// The errors of the trail's tools: a code, a message that says what to do, and details with calls that the client can send as they are.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { fitting, type NextCall, nextCall, short } from '../refusal.js';
import { findTask } from '../tasks/repository.js';
import { taskNumber } from '../tasks/task.js';
import type { RecordArgs } from './record.js';
import type { SessionRow } from './repository.js';

/** Lists all thoughts with their sessions. */
export const LIST_THOUGHTS = nextCall('thought_record_list', { proof: true });
export const thoughtsIn = (session_id: string): NextCall => nextCall('thought_record_list', { session_id });
export const thoughtWhole = (thought_id: string): NextCall => nextCall('thought_record_list', { thought_id });

type Code = Extract<ErrorCode, 'SESSION_NOT_FOUND' | 'ERR_SESSION_NOT_FOUND'>;

export const noSession = (code: Code, session_id: string, next: readonly NextCall[], hint: string): DomainError =>
  new DomainError(code, `There is no session ${short(session_id)}. ${hint}`, { session_id, next });

export const noThought = (thought_id: string): DomainError =>
  new DomainError(
    'THOUGHT_NOT_FOUND',
    `There is no thought ${short(thought_id)}. thought_record_list shows what there is.`,
    { thought_id, next: [LIST_THOUGHTS] },
  );

// The errors for a session that is unknown or sealed suggest the caller's thought_record call for another session.

/**
 * The caller's thought_record call for another session: without session id and idempotency key, since the other session may have that key
 * already. The task is left out if it does not exist.
 */
const elsewhere = async (tx: ReadTx, args: RecordArgs, about: string | undefined): Promise<NextCall> => {
  const { type, content, agent_id } = args;
  const isTask = about !== undefined && (await findTask(tx, taskNumber(about) ?? 0)) !== undefined;
  const place = { ...(isTask && { task_id: about }), ...(agent_id !== undefined && { agent_id }) };
  return nextCall('thought_record', { type, content, ...place });
};

export const noSkill = (skill: string): DomainError =>
  new DomainError('SKILL_NOT_FOUND', `There is no skill ${short(skill)}. skill_list shows what there is.`, {
    skill,
    next: [nextCall('skill_list')],
  });

export const unknownSession = async (tx: ReadTx, args: RecordArgs, sessionId: string): Promise<DomainError> => {
  const next = fitting([await elsewhere(tx, args, args.task_id)], [LIST_THOUGHTS]);
  return noSession(
    'SESSION_NOT_FOUND',
    sessionId,
    next,
    'Leave session_id out, or open the session with audit_session_start.',
  );
};

export const closedSession = async (tx: ReadTx, args: RecordArgs, session: SessionRow): Promise<DomainError> => {
  const { session_id, finalized_at, task_id } = session;
  const repeated = await elsewhere(tx, args, args.task_id ?? task_id ?? undefined);
  return new DomainError(
    'SESSION_FINALIZED',
    `Session ${short(session_id)} was finalized at ${finalized_at} and takes no more thoughts. Leave session_id out, or open a new one.`,
    { session_id, finalized_at, next: fitting([repeated], [thoughtsIn(session_id)]) },
  );
};
