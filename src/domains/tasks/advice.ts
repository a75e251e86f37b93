// Computes the calls that an error of task_update suggests: at most three. Each call succeeds if they are sent in order, and together they
// make the change that the caller asked for, if the rules allow that in three calls.
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NextCall, nextCall } from '../refusal.js';
import { decideChange, type Facts, type TaskProblem } from './changes.js';
import { gatherFacts, waitingFor } from './repository.js';
import { isTerminal, NEXT_STATES, type TaskState } from './state-machine.js';
import { isLive, taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

/** The note in a suggested call, for the caller to replace. task_update accepts it, and readers can see that nobody replaced it. */
const NOTE_TEMPLATE = 'REPLACE THIS: what was checked, and what came out.';

interface Plan {
  readonly calls: readonly NextCall[];
  /** True if the calls bring the task to the wanted state. */
  readonly complete: boolean;
}

const updateCall = (wish: Wish): NextCall =>
  nextCall('task_update', Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)));

export const lookAt = (task_id: string): NextCall => nextCall('task_get', { task_id });

/** The states that lead from one task state to another, in order, or undefined if there is no path. The path never leads through CANCELLED. */
const wayBetween = (from: TaskState, to: TaskState): readonly TaskState[] | undefined => {
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
  /** The numbers of dependencies whose completion is planned already, because two tasks may wait for the same dependency. */
  readonly ended: Set<number>;
}

/** Plans at most `room` calls that bring a task to `wish.status`, after its dependencies. The last call carries the rest of `wish`. */
const planTo = async (planning: Planning, wish: Wish & { status: TaskState }, room: number): Promise<Plan> => {
  const { tx, now } = planning;
  const { task_id, depends_on, status: to } = wish;
  const facts = await gatherFacts(tx, { task_id, depends_on, status: to }, now);
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

/** The `depends_on` of the call that enters APPLY: without cancelled dependencies, which will never be DONE. */
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

/** The arguments of task_update with one mistake corrected, or undefined if the problem is not a mistake in the arguments. */
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

/** The ids of the wanted dependencies that do not wait for the task itself. */
const acceptable = async (tx: ReadTx, { task, wanted = [] }: Facts): Promise<string[]> => {
  const behind = await waitingFor(tx, task.n);
  return wanted.filter(({ n }) => !behind.has(n)).map(({ n }) => taskId(n));
};

/** The calls to suggest after `problem`. Corrects one mistake at a time; if the transition is not allowed, plans the states in between. */
export const adviseUpdate = async (tx: ReadTx, wish: Wish, problem: TaskProblem, now: string): Promise<NextCall[]> => {
  const look = [lookAt(taskId(taskNumber(wish.task_id) ?? 0))];
  const facts = await gatherFacts(tx, wish, now);
  if (facts === undefined) return look;
  const better = await corrected(tx, facts, wish, problem);
  if (better !== undefined) {
    const again = await gatherFacts(tx, better, now);
    const decision = again && decideChange(again, better);
    if (decision === undefined) return look;
    // Somebody else changed the task, so the caller should read the task first.
    const first = problem.kind === 'version' ? look : [];
    return 'change' in decision ? [...first, updateCall(better)] : adviseUpdate(tx, better, decision.problem, now);
  }
  if (problem.kind === 'lease' || wish.status === undefined) return look;
  const { expected_version: _stale, ...rest } = wish;
  const plan = await planTo({ tx, now, ended: new Set() }, { ...rest, status: wish.status }, DOMAIN_LIMITS.adviceCalls);
  return plan.calls.length > 0 ? [...plan.calls] : look;
};
