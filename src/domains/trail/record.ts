// The tool thought_record: appends a thought to a session's hash chain.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool, type Writing, writing } from '../../call/define-tool.js';
import { saltedDigest } from '../../ledger/hashes.js';
import { DomainError } from '../../middleware/envelope.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { noTask } from '../refusal.js';
import * as shapes from '../shapes.js';
import { idField, nameField } from '../tasks/fields.js';
import { extendLease, findLease } from '../tasks/lease-repository.js';
import { findTask } from '../tasks/repository.js';
import { isTerminal } from '../tasks/state-machine.js';
import { isLive, type TaskRow, taskId, taskNumber } from '../tasks/task.js';
import { closedSession, noSkill, thoughtWhole, unknownSession } from './errors.js';
import { contentField, sessionField, typeField } from './fields.js';
import { lightSession, openLightSession } from './light-path.js';
import {
  callThatRecorded,
  findSession,
  findThoughtByKey,
  insertThought,
  type SessionRow,
  thoughtsOfTaskByKey,
} from './repository.js';
import type { ThoughtRow } from './thought.js';
import type { VerifyChain } from './verify-chain.js';

const input = z.strictObject({
  type: arg(typeField, 'The kind of thought.'),
  content: arg(contentField, 'The thought and its reasons, in UTF-8. Stored beside the hashes, so it can be erased.'),
  session_id: arg(
    sessionField.optional().describe('default: one is kept for you'),
    'The id of an open session; by default that of the task, or one that Colibri opens.',
  ),
  task_id: arg(idField.optional().describe('default: the session’s'), "The task it is about; default the session's."),
  agent_id: arg(
    nameField.optional(),
    "Who you are; default the client's name. The holder's thoughts extend its lease.",
  ),
  skill: nameField.optional().describe('the skill you follow'),
  idempotency_key: arg(
    nameField.optional(),
    'A key of your choice: the same key and arguments in the same session return the first thought again.',
  ),
});
export type RecordArgs = z.infer<typeof input>;

/** The skill that an agent followed when it recorded a thought, with the skill's digest at that time. */
export interface ThoughtSkill {
  readonly name: string;
  readonly digest: string;
}

/** Functions of other folders of src/ that the trail's tools call. */
export interface TrailNeeds {
  readonly verify: VerifyChain;
  readonly resolveSkill: (name: string) => Promise<ThoughtSkill | undefined>;
}

const shown = ({ thought_id, session_id, place, timestamp, prev_hash, hash }: ThoughtRow) => ({
  thought_id,
  session_id,
  seq: place,
  timestamp,
  prev_hash,
  hash,
});

/** The task that `task_id` names; undefined if there is none. */
const namedTask = async ({ tx }: Writing, task_id: string | undefined): Promise<TaskRow | undefined> =>
  task_id === undefined ? undefined : findTask(tx, taskNumber(task_id) ?? 0);

const lightPlace = (task: TaskRow | undefined) =>
  task === undefined ? {} : { task_id: taskId(task.n), intent: task.title, ended: isTerminal(task.status) };

/** The id of the session that an earlier, equal request went to; undefined if there is no such session, or the request names a task that does not exist. Opens no session. */
const sessionOfReplay = async (work: Writing, { session_id, task_id }: RecordArgs): Promise<string | undefined> => {
  if (session_id !== undefined) return session_id;
  const task = await namedTask(work, task_id);
  return task_id !== undefined && task === undefined ? undefined : openLightSession(work, lightPlace(task));
};

/** Whether a thought was recorded by an equal request. If its content was erased, the key alone decides. */
const isOf = ({ content_salt, request_digest }: ThoughtRow, request: string): boolean =>
  content_salt === null || saltedDigest(Buffer.from(content_salt, 'hex'), request) === request_digest;

/** The thought that an equal request about a task recorded before, in a session of the task that is sealed by now. */
const inSealedSession = async ({ tx }: Writing, { session_id, task_id }: RecordArgs, key: string, request: string) => {
  const n = session_id === undefined && task_id !== undefined ? taskNumber(task_id) : undefined;
  const rows = n === undefined ? [] : await thoughtsOfTaskByKey(tx, taskId(n), key);
  return rows.find((row) => isOf(row, request));
};

/** The thought that an equal request with the same idempotency key recorded before. */
const findReplay = async (work: Writing, args: RecordArgs): Promise<ThoughtRow | undefined> => {
  const { idempotency_key: key, ...rest } = args;
  if (key === undefined) return undefined;
  const request = canonicalJson(rest);
  const sessionId = await sessionOfReplay(work, args);
  await work.tx.lock?.(`key of a thought ${JSON.stringify([sessionId, key])}`);
  const row = sessionId === undefined ? undefined : await findThoughtByKey(work.tx, sessionId, key);
  if (row === undefined) return inSealedSession(work, args, key, request);
  if (isOf(row, request)) return row;
  const { thought_id } = row;
  throw new DomainError(
    'IDEMPOTENCY_MISMATCH',
    `This idempotency_key already recorded thought ${thought_id}, with other arguments.`,
    {
      thought_id,
      next: [thoughtWhole(thought_id)],
    },
  );
};

/** The session that the arguments name; undefined if they name none. Throws if the session does not exist or is sealed. */
const askedSession = async ({ tx }: Writing, args: RecordArgs): Promise<SessionRow | undefined> => {
  if (args.session_id === undefined) return undefined;
  const session = await findSession(tx, args.session_id);
  if (session === undefined) throw await unknownSession(tx, args, args.session_id);
  if (session.finalized_at !== null) throw await closedSession(tx, args, session);
  return session;
};

/** Extends the lease of task `n` if `agentId`, who recorded the thought, holds the lease. */
const keepLease = async (work: Writing, n: number, agentId: string | null): Promise<void> => {
  const lease = await findLease(work.tx, n);
  if (isLive(lease, work.now) && lease.holder === agentId) await extendLease(work, lease);
};

/** The skill that the arguments name. `prepare` looked it up before the transaction began. */
const skillInForce = ({ skill }: RecordArgs, { prepared }: HandlerExtra): ThoughtSkill | null => {
  if (skill === undefined) return null;
  if (prepared === undefined) throw noSkill(skill);
  return prepared as ThoughtSkill;
};

export const thoughtRecord = defineTool({
  name: 'thought_record',
  title: 'Record thought',
  description: 'Put a plan, finding, decision or lesson and its reasons on record, when you have it.',
  when: 'When you have a plan, a finding, a decision or a lesson: put it on record with its reasons, for whoever asks later why.',
  effect: 'write',
  meta: { 'anthropic/alwaysLoad': true },
  input,
  output: z.strictObject({
    thought_id: shapes.uuid,
    session_id: shapes.sessionIdShape,
    seq: shapes.countShape.describe('The place of the thought in its session, from 0.'),
    timestamp: shapes.time,
    prev_hash: shapes.hash,
    hash: shapes.hash,
    redacted: shapes.redacted,
  }),
  errors: {
    SESSION_NOT_FOUND: { when: 'there is no such session', details: shapes.sessionDetails },
    SESSION_FINALIZED: { when: 'the session is sealed', details: shapes.sealedDetails },
    TASK_NOT_FOUND: { when: 'there is no such task', details: shapes.missingDetails },
    SKILL_NOT_FOUND: { when: 'there is no such skill', details: { skill: shapes.textField, next: shapes.next } },
    IDEMPOTENCY_MISMATCH: { when: 'the key recorded a thought with other arguments', details: shapes.thoughtDetails },
  },
  examples: [
    {
      args: {
        type: 'decision',
        content: 'An index: one line to add, and nothing to invalidate. A cache would be faster and wrong at times.',
        session_id: '$audit_session_start.session_id',
      },
    },
    { args: { type: 'decision', content: 'An index.', session_id: 'monday' }, error: 'SESSION_NOT_FOUND' },
    { args: { type: 'decision', content: 'An index.', task_id: 'T-9999' }, error: 'TASK_NOT_FOUND' },
    { args: { type: 'plan', content: 'Measure, then add the index.', skill: 'juggling' }, error: 'SKILL_NOT_FOUND' },
  ],
  texts: ['content'],
  prepare: async ({ skill }, { resolveSkill }: TrailNeeds) => (skill === undefined ? undefined : resolveSkill(skill)),
  run: async (args, extra) => {
    const work = writing(extra);
    const replayed = await findReplay(work, args);
    if (replayed !== undefined) {
      extra.note({ replay_of: await callThatRecorded(work.tx, replayed) });
      return shown(replayed);
    }
    const session = await askedSession(work, args);
    const about = args.task_id ?? session?.task_id ?? undefined;
    const task = await namedTask(work, about);
    if (about !== undefined && task === undefined) throw noTask('TASK_NOT_FOUND', taskId(taskNumber(about) ?? 0));
    const agent_id = args.agent_id ?? extra.call.client?.name ?? null;
    const skill = skillInForce(args, extra);
    const { idempotency_key: key, ...request } = args;
    const row = await insertThought(work, {
      session_id: session?.session_id ?? (await lightSession(work, { agent_id, ...lightPlace(task) })),
      type: args.type,
      content: args.content,
      task_id: task === undefined ? null : taskId(task.n),
      agent_id,
      attempt: task?.attempt ?? null,
      skill,
      ...(key !== undefined && { idempotency: { key, request: canonicalJson(request) } }),
      timestamp: work.now,
    });
    if (task !== undefined) {
      extra.note({ attempt: task.attempt });
      await keepLease(work, task.n, agent_id);
    }
    return shown(row);
  },
});
