// Recognises a call of task_update that was made before: by its idempotency key, or because the task is where the call would bring it and
// the call's notes are the last ones that the same agent recorded. Such a call changes nothing but the lease.
import type { HandlerExtra } from '../../call/context.js';
import type { Writing } from '../../call/define-tool.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { callThatRecorded, lastThoughtsBy } from '../trail/repository.js';
import type { ThoughtRow } from '../trail/thought.js';
import { agentOf, applyLease } from './apply-change.js';
import { decideChange, type Facts, stepsOf, type TaskProblem, wishedState } from './changes.js';
import { keyUsedTwice } from './errors.js';
import { findReplay, insertReplay, isSameRequest } from './replay-repository.js';
import { isTerminal, NOTE_TYPES } from './state-machine.js';
import { type TaskRow, taskId } from './task.js';
import type { Wish } from './update.js';
import { showWritten, type WrittenTask } from './written.js';

/** The part of a request that its key stands for. A token says who asks, not what is asked, and a resumed lease has another one. */
const requestOf = ({ idempotency_key: _key, lease_token: _token, ...request }: Wish): string => canonicalJson(request);

const replayed = (task: TaskRow): WrittenTask => ({ ...showWritten(task), replayed: true });

/** The answer to a call whose key an earlier call had; undefined if none had it. Throws if that call had other arguments. */
export const replayByKey = async (
  { tx }: Writing,
  task: TaskRow,
  wish: Wish,
  extra: HandlerExtra,
): Promise<WrittenTask | undefined> => {
  const key = wish.idempotency_key;
  const row = key === undefined ? undefined : await findReplay(tx, task.n, key);
  if (row === undefined) return undefined;
  if (!(await isSameRequest(tx, row, requestOf(wish)))) throw keyUsedTwice(taskId(task.n), 'changed');
  extra.note({ replay_of: row.call_no });
  return replayed(task);
};

/** Keeps the key of a call that succeeded. */
export const keepKey = async (work: Writing, task: TaskRow, wish: Wish): Promise<void> => {
  if (wish.idempotency_key !== undefined) await insertReplay(work, task.n, wish.idempotency_key, requestOf(wish));
};

const PLAIN = ['task_id', 'lease_token', 'status', 'note', 'steps'];

/** Whether a request asks for the state that the task is in, and for nothing else. */
const asksForSame = ({ task }: Facts, wish: Wish): boolean =>
  (wish.status !== undefined || wish.steps !== undefined) &&
  wishedState(wish, task.status) === task.status &&
  Object.entries(wish).every(([name, value]) => value === undefined || PLAIN.includes(name));

/** Whether a request gives back the lease of its token, which was given back before, and asks for nothing else that is not so already. */
const isGivenBack = ({ task, lease }: Facts, wish: Wish): boolean =>
  wish.release === true &&
  lease?.released === 1 &&
  lease.token === wish.lease_token &&
  wishedState(wish, task.status) === task.status &&
  Object.entries(wish).every(
    ([name, value]) =>
      value === undefined || [...PLAIN, 'release'].includes(name) || (name === 'assignee' && value === task.assignee),
  );

/** The last of the thoughts that a request's notes became in an earlier call; undefined if they were not the agent's last ones. */
const recordedBefore = async ({ tx }: Writing, facts: Facts, wish: Wish): Promise<ThoughtRow | undefined> => {
  const { task } = facts;
  const noted = stepsOf(wish, task.status).filter(({ note }) => note !== undefined);
  const last = await lastThoughtsBy(tx, taskId(task.n), agentOf(facts, wish), noted.length);
  const newest = last.at(-1);
  // The note on VERIFY → GATHER belongs to the attempt that failed.
  const began = task.status === 'GATHER' ? task.attempt - 1 : task.attempt;
  const isRecent = newest?.attempt === task.attempt || newest?.attempt === began;
  const isSame = noted.every(
    ({ status, note }, i) => last[i]?.content === note && last[i]?.type === NOTE_TYPES[status],
  );
  return isRecent && isSame ? newest : undefined;
};

/** Whether a request has the token of the lease under which the task has ended. */
const endedUnder = ({ task, lease }: Facts, { lease_token }: Wish): boolean =>
  isTerminal(task.status) && lease !== undefined && lease.token === lease_token;

/** The answer to a call without a key that was made before; the problem if it lacks the lease; undefined if it is a new call. */
export const replayByNotes = async (
  work: Writing,
  facts: Facts,
  wish: Wish,
  extra: HandlerExtra,
): Promise<WrittenTask | { readonly problem: TaskProblem } | undefined> => {
  const { task } = facts;
  const isRelease = isGivenBack(facts, wish);
  if (!isRelease && !asksForSame(facts, wish)) return undefined;
  const hasNotes = stepsOf(wish, task.status).some(({ note }) => note !== undefined);
  const thought = hasNotes ? await recordedBefore(work, facts, wish) : undefined;
  if (thought === undefined && (hasNotes || !(isRelease || endedUnder(facts, wish)))) return undefined;
  if (thought !== undefined) extra.note({ replay_of: await callThatRecorded(work.tx, thought) });
  if (isRelease || endedUnder(facts, wish)) return replayed(task);
  const { task_id, lease_token } = wish;
  const decision = decideChange(facts, { task_id, lease_token, note: '' });
  if ('problem' in decision) return { problem: decision.problem };
  const lease = await applyLease(work, facts, wish, decision.change);
  return { ...replayed(task), ...(lease && { lease_until: lease.until }) };
};

/** Drops the token from a request about a task that has ended under it: whoever ended the task may still add a note. */
export const withoutSpentToken = (facts: Facts, wish: Wish): Wish =>
  endedUnder(facts, wish) && asksForSame(facts, wish) ? { ...wish, lease_token: undefined } : wish;
