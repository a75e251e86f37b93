// What thought_record says where the session does not take the thought: the same thought, ready for another place.
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import type { NextCall } from '../tasks/advice.js';
import { findTask } from '../tasks/repository.js';
import { taskNumber } from '../tasks/task.js';
import { fitting, LIST_THOUGHTS, noSession, short, thoughtsIn } from './errors.js';
import type { RecordArgs } from './record.js';
import type { SessionRow } from './repository.js';

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
