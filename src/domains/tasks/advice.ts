// Computes the calls that an error of task_update suggests. Each succeeds if they are sent in order. They change only the task that the
// caller named, keep everything the caller sent but what was refused, invent no words, and never lead to work without a lease that somebody had.
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NextCall, nextCall } from '../refusal.js';
import { decideChange, type Facts, stepsOf, type TaskProblem, type WishedStep } from './changes.js';
import { waitingFor } from './dependency-repository.js';
import { gatherFacts } from './repository.js';
import { isTerminal, NEXT_STATES, type TaskState } from './state-machine.js';
import { cancelledIds, isLive, taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

const given = (wish: Wish): Partial<Wish> =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));

const updateCall = (wish: Wish): NextCall => nextCall('task_update', given(wish));

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

/** A request with other steps. One step takes the plain form that everybody knows. */
const withSteps = (
  { status: _status, note: _note, steps: _steps, ...rest }: Wish,
  steps: readonly WishedStep[],
): Wish => (steps.length === 1 ? { ...rest, ...steps[0] } : { ...rest, steps });

/** The request with the states in between, or undefined if no path of allowed length leads there. Every note stays with its own state. */
const withStatesBetween = ({ task }: Facts, wish: Wish): Wish | undefined => {
  const steps: WishedStep[] = [];
  let at = task.status;
  for (const step of stepsOf(wish, task.status)) {
    const way = step.status === at ? [at] : wayBetween(at, step.status);
    if (way === undefined) return undefined;
    steps.push(...way.slice(0, -1).map((status) => ({ status })), step);
    at = step.status;
  }
  return steps.length <= DOMAIN_LIMITS.updateSteps ? withSteps(wish, steps) : undefined;
};

/**
 * The request without its last step, which enters DONE, or undefined if no step is left. DONE needs a note that only the caller can write: a
 * text of ours would be sealed as the reason.
 */
const beforeDone = ({ task }: Facts, wish: Wish): Wish | undefined => {
  const steps = stepsOf(wish, task.status);
  const isLast = steps.findIndex(({ status }) => status === 'DONE') === steps.length - 1;
  return isLast && steps.length > 1 ? withSteps(wish, steps.slice(0, -1)) : undefined;
};

/**
 * The request without the dependencies that were refused. If none is left, the request leaves the task's dependencies as they are: a list
 * that was to be replaced is never emptied.
 */
const withoutRefused = (facts: Facts, wish: Wish, isRefused: (n: number) => boolean): Wish => {
  const kept = (facts.wanted ?? []).filter(({ n }) => !isRefused(n)).map(({ n }) => taskId(n));
  return { ...wish, depends_on: kept.length === 0 ? undefined : kept };
};

/** The request without the cancelled tasks that the task waits for in vain; undefined if it waits for others too. */
const withoutCancelled = (facts: Facts, wish: Wish, blockedBy: readonly string[]): Wish | undefined => {
  const all = facts.wanted ?? facts.dependencies;
  const cancelled = cancelledIds(all);
  if (blockedBy.some((id) => !cancelled.includes(id))) return undefined;
  return { ...wish, depends_on: all.map(({ n }) => taskId(n)).filter((id) => !cancelled.includes(id)) };
};

/** The request with one mistake corrected, or undefined if the problem is not a mistake in the request. */
const corrected = async (tx: ReadTx, facts: Facts, wish: Wish, problem: TaskProblem): Promise<Wish | undefined> => {
  switch (problem.kind) {
    case 'version':
      return { ...wish, expected_version: problem.actual };
    case 'missing':
      return withoutRefused(facts, wish, () => false);
    case 'cancelled':
      return withoutRefused(facts, wish, (n) => problem.ids.includes(taskId(n)));
    case 'cycle': {
      const behind = await waitingFor(tx, facts.task.n);
      return withoutRefused(facts, wish, (n) => behind.has(n));
    }
    case 'transition':
      return withStatesBetween(facts, wish);
    case 'blocked':
      return withoutCancelled(facts, wish, problem.blockedBy);
    case 'writeback':
      return beforeDone(facts, wish);
    case 'lease lost':
    case 'lease required':
      return undefined;
  }
};

/** Whether a request asks for anything at all. */
const asksForSomething = ({ task_id: _id, lease_token: _token, expected_version: _version, ...rest }: Wish): boolean =>
  Object.keys(given(rest as Wish)).length > 0;

/** The claim that gives a caller its task back: its lease is over, and the token says who it was. */
const reclaim = ({ lease, task, now }: Facts, { lease_token }: Wish): NextCall[] => {
  if (lease === undefined || lease.token !== lease_token || isTerminal(task.status)) return [];
  const { holder } = lease;
  const isFree = !isLive(lease, now) && (task.assignee === null || task.assignee === holder);
  return isFree ? [nextCall('task_next_actions', { claim_by: holder, task_id: taskId(task.n) })] : [];
};

/** The calls to suggest where the request cannot be corrected: to look at the task, or at the tasks that it waits for. */
const looks = (id: string, problem: TaskProblem, facts: Facts | undefined, wish: Wish): readonly NextCall[] => {
  if (problem.kind === 'blocked') return problem.blockedBy.slice(0, DOMAIN_LIMITS.adviceCalls).map(lookAt);
  return [lookAt(id), ...(facts !== undefined && problem.kind === 'lease lost' ? reclaim(facts, wish) : [])];
};

/** The calls to suggest after `problem`. Corrects one mistake after the other until the request would succeed. */
export const adviseUpdate = async (
  tx: ReadTx,
  wish: Wish,
  problem: TaskProblem,
  now: string,
): Promise<readonly NextCall[]> => {
  const id = taskId(taskNumber(wish.task_id) ?? 0);
  const seen = new Set<TaskProblem['kind']>();
  let [request, found] = [wish, problem];
  for (;;) {
    const facts = await gatherFacts(tx, request, now);
    const better = facts && !seen.has(found.kind) ? await corrected(tx, facts, request, found) : undefined;
    if (better === undefined || !asksForSomething(better)) return looks(id, found, facts, request);
    const again = await gatherFacts(tx, better, now);
    const decision = again && decideChange(again, better);
    if (decision === undefined) return [lookAt(id)];
    seen.add(found.kind);
    // Somebody else changed the task, so the caller should read the task first.
    if ('change' in decision) return [...(seen.has('version') ? [lookAt(id)] : []), updateCall(better)];
    [request, found] = [better, decision.problem];
  }
};
