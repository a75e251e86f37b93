// What to do after a refusal: ready calls that succeed, in order, at most three, and that reach what was wished where
// the rules allow it in three.
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NextCall, nextCall } from '../refusal.js';
import { decideChange, type Facts, type TaskProblem } from './changes.js';
import { gatherFacts, waitingFor } from './repository.js';
import { isTerminal, NEXT_STATES, type TaskState } from './state-machine.js';
import { isLive, taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

/** Works as it is, and shows that nobody replaced it. */
const NOTE_TEMPLATE = 'REPLACE THIS: what was checked, and what came out.';

interface Plan {
  readonly calls: readonly NextCall[];
  /** Whether the calls reach the goal. */
  readonly complete: boolean;
}

const updateCall = (wish: Wish): NextCall =>
  nextCall('task_update', Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)));

export const lookAt = (task_id: string): NextCall => nextCall('task_get', { task_id });

/** The states to enter on the way, or undefined where there is none. Nobody is sent through CANCELLED. */
export const wayBetween = (from: TaskState, to: TaskState): readonly TaskState[] | undefined => {
  const ways: (readonly TaskState[])[] = [[]];
  const seen = new Set<TaskState>([from]);
  for (const way of ways) {
    const at = way.at(-1) ?? from;
    if (at === to && way.length > 0) return way;
    for (const next of NEXT_STATES[at]) {
      if ((next === 'CANCELLED' && to !== 'CANCELLED') || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
};

interface Planning {
  readonly tx: ReadTx;
  readonly now: string;
  /** Blockers whose end is already planned: two tasks may wait for the same one. */
  readonly ended: Set<number>;
}

/** Calls that bring a task to `wish.status`, its blockers first. `wish` rides on the last call. */
const planTo = async (planning: Planning, wish: Wish & { status: TaskState }, room: number): Promise<Plan> => {
  const { tx, now } = planning;
  const facts = await gatherFacts(tx, { task_id: wish.task_id, depends_on: wish.depends_on }, now);
  if (facts === undefined) return { calls: [], complete: false };
  const { task, lease, thoughts } = facts;
  const way = task.status === wish.status ? [wish.status] : wayBetween(task.status, wish.status);
  const held = isLive(lease, now) && lease.token !== wish.lease_token;
  if (way === undefined || held) return { calls: [], complete: false };
  const calls: NextCall[] = [];
  for (const [index, status] of way.entries()) {
    const last = index === way.length - 1;
    if (status === 'APPLY') {
      const freed = await planBlockers(planning, facts, room - calls.length);
      calls.push(...freed.calls);
      if (!freed.complete) return { calls, complete: false };
    }
    if (calls.length >= room) return { calls, complete: false };
    const needsNote = status === 'DONE' && thoughts === 0;
    calls.push(
      updateCall({
        task_id: taskId(task.n),
        ...(wish.lease_token !== undefined && { lease_token: wish.lease_token }),
        ...(needsNote && { note: NOTE_TEMPLATE }),
        ...(last && wish),
        ...keptDependencies(facts, status, wish),
        status,
      }),
    );
  }
  return { calls, complete: true };
};

/** A cancelled dependency will never be done: whoever goes on drops it. Wished dependencies go with the first gate. */
const keptDependencies = (facts: Facts, status: TaskState, wish: Wish): Pick<Wish, 'depends_on'> => {
  if (status !== 'APPLY') return {};
  const all = facts.wanted ?? facts.dependencies;
  const kept = all.filter((dependency) => dependency.status !== 'CANCELLED');
  const same = wish.depends_on === undefined && kept.length === all.length;
  return same ? {} : { depends_on: kept.map(({ n }) => taskId(n)) };
};

const planBlockers = async (planning: Planning, facts: Facts, room: number): Promise<Plan> => {
  const calls: NextCall[] = [];
  const blockers = (facts.wanted ?? facts.dependencies).filter(({ status }) => !isTerminal(status));
  for (const { n } of blockers) {
    if (planning.ended.has(n)) continue;
    const plan = await planTo(planning, { task_id: taskId(n), status: 'DONE' }, room - calls.length);
    calls.push(...plan.calls);
    if (!plan.complete) return { calls, complete: false };
    planning.ended.add(n);
  }
  return { calls, complete: true };
};

/** The wish with one mistake taken out, or undefined where that does not help. */
const corrected = async (tx: ReadTx, facts: Facts, wish: Wish, problem: TaskProblem): Promise<Wish | undefined> => {
  switch (problem.kind) {
    case 'version':
      return { ...wish, expected_version: problem.actual };
    case 'lease':
      return wish.lease_token === undefined ? undefined : { ...wish, lease_token: undefined };
    case 'missing':
      return { ...wish, depends_on: facts.wanted?.map(({ n }) => taskId(n)) };
    case 'cycle':
      return { ...wish, depends_on: await acceptable(tx, facts) };
    case 'writeback':
      return { ...wish, note: NOTE_TEMPLATE };
    default:
      return undefined;
  }
};

/** Of the wished dependencies those that do not lead back to the task. */
const acceptable = async (tx: ReadTx, { task, wanted = [] }: Facts): Promise<string[]> => {
  const behind = await waitingFor(tx, task.n);
  return wanted.filter(({ n }) => !behind.has(n)).map(({ n }) => taskId(n));
};

/** Ready calls after `problem`. Takes out one mistake at a time; where the way is the mistake, plans the way. */
export const adviseUpdate = async (tx: ReadTx, wish: Wish, problem: TaskProblem, now: string): Promise<NextCall[]> => {
  const look = [lookAt(taskId(taskNumber(wish.task_id) ?? 0))];
  const facts = await gatherFacts(tx, wish, now);
  if (facts === undefined) return look;
  const better = await corrected(tx, facts, wish, problem);
  if (better !== undefined) {
    const again = await gatherFacts(tx, better, now);
    const decision = again && decideChange(again, better);
    if (decision === undefined) return look;
    // Who was overtaken looks first.
    const first = problem.kind === 'version' ? look : [];
    return 'change' in decision ? [...first, updateCall(better)] : adviseUpdate(tx, better, decision.problem, now);
  }
  if (problem.kind === 'lease' || wish.status === undefined) return look;
  const { expected_version: _stale, ...rest } = wish;
  const plan = await planTo({ tx, now, ended: new Set() }, { ...rest, status: wish.status }, DOMAIN_LIMITS.adviceCalls);
  return plan.calls.length > 0 ? [...plan.calls] : look;
};
