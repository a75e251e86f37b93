// thought_record
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { saltedDigest } from '../../ledger/hashes.js';
import { DomainError } from '../../middleware/envelope.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { type Writing, writing } from '../handler.js';
import { idField, nameField } from '../tasks/fields.js';
import { isLive } from '../tasks/lease.js';
import { extendLease, findLease } from '../tasks/lease-repository.js';
import { findTask } from '../tasks/repository.js';
import { isTerminal } from '../tasks/state-machine.js';
import { taskId, taskNumber } from '../tasks/task.js';
import type { TaskRow } from '../tasks/task-row.js';
import { withoutSecrets } from '../without-secrets.js';
import { noTask, thoughtWhole } from './errors.js';
import { contentField, sessionField, typeField } from './fields.js';
import { lightSession, openLightSession } from './light-path.js';
import { closedSession, noSkill, unknownSession } from './record-errors.js';
import { callThatRecorded } from './replay.js';
import { findSession, findThoughtByKey, insertThought, type SessionRow } from './repository.js';
import type { ThoughtRow } from './thought.js';

export const recordInput = z.strictObject({
  type: typeField,
  content: contentField.describe('up to 64 KB'),
  session_id: sessionField.optional().describe('default: one is kept for you'),
  task_id: idField.optional().describe('default: the session’s'),
  agent_id: nameField.optional(),
  skill: nameField.optional().describe('the skill you follow'),
  idempotency_key: nameField.optional(),
});
export type RecordArgs = z.infer<typeof recordInput>;

/** A skill as it was when a thought followed it. */
export interface Skill {
  readonly name: string;
  readonly digest: string;
}

const shown = ({ thought_id, session_id, place, timestamp, prev_hash, hash }: ThoughtRow) => ({
  thought_id,
  session_id,
  seq: place,
  timestamp,
  prev_hash,
  hash,
});

/** The task that the arguments name, if there is such a one. */
const namedTask = async ({ tx }: Writing, task_id: string | undefined): Promise<TaskRow | undefined> =>
  task_id === undefined ? undefined : findTask(tx, taskNumber(task_id) ?? 0);

const lightPlace = (task: TaskRow | undefined) =>
  task === undefined ? {} : { taskId: taskId(task.n), intent: task.title, ended: isTerminal(task.status) };

/** The session that a repeated request went to. None is opened for looking, and none is there for a task that is not. */
const sessionOfReplay = async (work: Writing, { session_id, task_id }: RecordArgs): Promise<string | undefined> => {
  if (session_id !== undefined) return session_id;
  const task = await namedTask(work, task_id);
  return task_id !== undefined && task === undefined ? undefined : openLightSession(work, lightPlace(task));
};

/** The same request under the same key finds its thought. Where the content was erased, the key alone decides. */
const findReplay = async (work: Writing, args: RecordArgs): Promise<ThoughtRow | undefined> => {
  const { idempotency_key: key, ...request } = args;
  if (key === undefined) return undefined;
  const sessionId = await sessionOfReplay(work, args);
  const row = sessionId === undefined ? undefined : await findThoughtByKey(work.tx, sessionId, key);
  if (row === undefined || row.content_salt === null) return row;
  if (saltedDigest(Buffer.from(row.content_salt, 'hex'), canonicalJson(request)) === row.request_digest) return row;
  const { thought_id } = row;
  throw new DomainError('IDEMPOTENCY_MISMATCH', `This key already recorded ${thought_id}, with other arguments.`, {
    thought_id,
    next: [thoughtWhole(thought_id)],
  });
};

/** The session that was asked for by its name; it must take thoughts. */
const askedSession = async ({ tx }: Writing, args: RecordArgs): Promise<SessionRow | undefined> => {
  if (args.session_id === undefined) return undefined;
  const session = await findSession(tx, args.session_id);
  if (session === undefined) throw await unknownSession(tx, args, args.session_id);
  if (session.finalized_at !== null) throw await closedSession(tx, args, session);
  return session;
};

/** A thought of the holder is a sign of life. */
const keepLease = async ({ tx, evidence, now }: Writing, n: number, agentId: string | null): Promise<void> => {
  const lease = await findLease(tx, n);
  if (isLive(lease, now) && lease.holder === agentId) await extendLease(tx, evidence, lease, now);
};

/** Name and digest were looked up before the transaction began. */
const skillInForce = ({ skill }: RecordArgs, { prepared }: HandlerExtra): Skill | null => {
  if (skill === undefined) return null;
  if (prepared === undefined) throw noSkill(skill);
  return prepared as Skill;
};

export const recordThought = async (given: RecordArgs, extra: HandlerExtra) => {
  const { args, told } = withoutSecrets(given, ['content']);
  const work = writing(extra);
  const { tx, evidence, now } = work;
  const replayed = await findReplay(work, args);
  if (replayed !== undefined) {
    extra.note({ replay_of: await callThatRecorded(tx, replayed) });
    return { ...shown(replayed), ...told };
  }
  const session = await askedSession(work, args);
  const about = args.task_id ?? session?.task_id ?? undefined;
  const task = await namedTask(work, about);
  if (about !== undefined && task === undefined) throw noTask('TASK_NOT_FOUND', taskId(taskNumber(about) ?? 0));
  const agentId = args.agent_id ?? extra.call.client?.name ?? null;
  const skill = skillInForce(args, extra);
  const { type, content, idempotency_key: key, ...rest } = args;
  const row = await insertThought(tx, evidence, {
    sessionId: session?.session_id ?? (await lightSession(work, { agentId, ...lightPlace(task) })),
    type,
    content,
    taskId: task === undefined ? null : taskId(task.n),
    agentId,
    attempt: task?.attempt ?? null,
    skill,
    ...(key !== undefined && { idempotency: { key, request: canonicalJson({ type, content, ...rest }) } }),
    at: now,
  });
  if (task !== undefined) {
    extra.note({ attempt: task.attempt });
    await keepLease(work, task.n, agentId);
  }
  return { ...shown(row), ...told };
};
