// Writes a change of a task that changes.ts allowed: its notes as thoughts, its row once, its lease, and what the outcome record says.
import type { HandlerExtra } from '../../call/context.js';
import type { Writing } from '../../call/define-tool.js';
import type { TaskTransition } from '../../proof/records.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { lightSession } from '../trail/light-path.js';
import { insertThought, newestThought } from '../trail/repository.js';
import { sealTask } from '../trail/seal.js';
import { type Facts, ownLease, type TakenStep, type TaskChange } from './changes.js';
import { creditsOfChange } from './credits.js';
import { unblockedNow, waitingTasks } from './dependency-repository.js';
import { extendLease, releaseLease } from './lease-repository.js';
import { freeDependents, replaceDependencies, saveTask } from './repository.js';
import { isTerminal, NOTE_TYPES } from './state-machine.js';
import { type Lease, taskId } from './task.js';
import type { Wish } from './update.js';

/** The name under which the notes of a request are recorded: the holder of the lease whose token it has, else the client's name. */
export const agentOf = ({ lease, agent = null }: Pick<Facts, 'lease' | 'agent'>, wish: Wish): string | null =>
  lease !== undefined && lease.token === wish.lease_token ? lease.holder : agent;

interface RecordedNotes {
  readonly session_id: string | undefined;
  /** For each step, the id of the thought that its note became. */
  readonly thoughts: readonly (string | undefined)[];
}

/** Records the notes as thoughts, in the open session of the task or in a session that Colibri opens for the task. */
const recordNotes = async (work: Writing, facts: Facts, wish: Wish, steps: readonly TakenStep[]) => {
  const { task } = facts;
  if (steps.every(({ note }) => note === undefined)) return { session_id: undefined, thoughts: [] };
  const about = { task_id: taskId(task.n), agent_id: agentOf(facts, wish) };
  const session_id = await lightSession(work, { ...about, intent: task.title, ended: isTerminal(task.status) });
  const thoughts: (string | undefined)[] = [];
  for (const { to, note: content, noteAttempt: attempt } of steps) {
    if (content === undefined) thoughts.push(undefined);
    else {
      const thought = { ...about, session_id, type: NOTE_TYPES[to], content, attempt, timestamp: work.now };
      thoughts.push((await insertThought(work, thought)).thought_id);
    }
  }
  return { session_id, thoughts } satisfies RecordedNotes;
};

/** Writes what happens to the lease. Returns the lease if it was extended. */
export const applyLease = async (
  work: Writing,
  facts: Facts,
  wish: Wish,
  change: TaskChange,
): Promise<Lease | undefined> => {
  const { lease } = facts;
  if (lease === undefined) return undefined;
  if (change.lease === 'release')
    await releaseLease(
      work,
      lease,
      change.steps.some(({ note }) => note !== undefined),
    );
  if (change.lease !== 'extend') return undefined;
  return extendLease(work, lease, ownLease(facts, wish) && change.task.version);
};

/**
 * Notes the transitions for the outcome record, and what shows that the conditions of the states were met (a thought, dependencies that
 * are DONE), because nobody could find that out later.
 */
const noteSteps = async (
  extra: HandlerExtra,
  { tx }: Writing,
  { task, steps, dependencies }: TaskChange,
  thoughts: RecordedNotes['thoughts'],
): Promise<void> => {
  const task_id = taskId(task.n);
  const changes: TaskTransition[] = [];
  for (const [i, { from, to, attempt }] of steps.entries()) {
    if (from === to) continue;
    const because = thoughts[i];
    const thought = to === 'DONE' ? (because ?? (await newestThought(tx, task_id, attempt))) : undefined;
    const reasons = { ...(because !== undefined && { because }), ...(thought !== undefined && { thought }) };
    changes.push({ task_id, from, to, version: task.version, attempt, ...reasons });
  }
  if (changes.length === 0) return;
  const done = dependencies.map((one) => ({ task_id: taskId(one.n), version: one.version }));
  extra.note({ changes, ...(changes.some(({ to }) => to === 'APPLY') && { done }) });
};

/** Seals the sessions that Colibri opened for a task, which has ended, and has the log signed after the commit. */
const sealWith = (extra: HandlerExtra, { log, now }: Writing, n: number): void => {
  extra.follow(async (tx) => {
    if (await sealTask(tx, { log, at: now }, taskId(n))) extra.afterCommit(extra.signSoon);
  });
};

/** Which other tasks a change concerns: those that may start now, and those that wait for a task that will never be DONE. */
const consequences = async ({ tx }: Writing, { task, steps }: TaskChange) => {
  const last = steps.at(-1);
  if (last === undefined || !isTerminal(last.to) || last.from === last.to) return {};
  const most = DOMAIN_LIMITS.namedTasks;
  if (task.status === 'DONE') {
    await freeDependents(tx, task.n);
    const unblocked = await unblockedNow(tx, task.n, most);
    return unblocked.length > 0 ? { unblocked } : {};
  }
  const strands = await waitingTasks(tx, task.n, most);
  return strands.length > 0 ? { strands } : {};
};

/** Writes a change. Returns what the answer says besides where the task stands. */
export const applyChange = async (
  extra: HandlerExtra,
  work: Writing,
  facts: Facts,
  { wish, change }: { readonly wish: Wish; readonly change: TaskChange },
) => {
  const { n } = facts.task;
  const { session_id, thoughts } = await recordNotes(work, facts, wish, change.steps);
  if (change.rewired) await replaceDependencies(work.tx, n, change.dependencies);
  if (change.changed) await saveTask(work, change.task, change.dependencies);
  const concerned = await consequences(work, change);
  const lease = await applyLease(work, facts, wish, change);
  if (session_id !== undefined) extra.note({ attempt: facts.task.attempt });
  if (isTerminal(change.task.status) && !isTerminal(facts.task.status)) sealWith(extra, work, n);
  await noteSteps(extra, work, change, thoughts);
  const credits = creditsOfChange(facts, wish, change);
  if (credits.length > 0) extra.note({ credits });
  return { ...(lease && { lease_until: lease.until }), ...concerned, ...(session_id !== undefined && { session_id }) };
};
