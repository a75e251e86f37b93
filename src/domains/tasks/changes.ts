// Decides whether a requested change of a task (a Wish) is allowed. Pure: takes facts, returns the change or the first problem. The order of
// the checks is: lease, version, dependencies, then each step (a state to enter, and the note about it) in the order given.
import { isTerminal, stepTask, type TaskState } from './state-machine.js';
import {
  cancelledIds,
  type Dependency,
  isLive,
  isOpenedBy,
  type Lease,
  openIds,
  type TaskRow,
  type TaskValues,
} from './task.js';
import type { Wish } from './update.js';

export interface Facts {
  readonly task: TaskRow;
  readonly dependencies: readonly Dependency[];
  /** The existing tasks that the request names in `depends_on`; undefined if the request has no `depends_on`. */
  readonly wanted: readonly Dependency[] | undefined;
  /** The ids in the request's `depends_on` that no task has. */
  readonly missing: readonly string[];
  /** The path of task ids from the task through a wanted dependency back to the task; undefined if there is none. */
  readonly cycle: readonly string[] | undefined;
  readonly lease: Lease | undefined;
  /** The project columns for the project that the request names; undefined if the task keeps its project. */
  readonly whose?: Pick<TaskRow, 'project' | 'project_id' | 'owner'> | undefined;
  /** How many thoughts were recorded for the task in its current attempt; 0 if the state that it shall enter needs none. */
  readonly thoughts: number;
  /** The client's name, which tells whether a call without a lease token comes from the lease's holder. */
  readonly agent?: string | null;
  readonly now: string;
}

export type TaskProblem =
  /**
   * The call has a token, which opens nothing (any more): the task has ended, somebody holds it with another token (`holder`), the lease of the
   * token is over, or the task's last lease has another token.
   */
  | {
      readonly kind: 'lease lost';
      readonly why: 'ended' | 'held' | 'over' | 'other token';
      readonly holder: string | null;
      readonly until: string | null;
    }
  /** The call has no token, and changes what only the holder may change. */
  | { readonly kind: 'lease required'; readonly holder: string; readonly until: string }
  | { readonly kind: 'version'; readonly actual: number }
  | { readonly kind: 'missing'; readonly ids: readonly string[] }
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | { readonly kind: 'cancelled'; readonly ids: readonly string[] }
  | {
      readonly kind: 'transition';
      readonly from: TaskState;
      readonly to: TaskState;
      readonly allowed: readonly TaskState[];
    }
  | { readonly kind: 'blocked'; readonly blockedBy: readonly string[] }
  | { readonly kind: 'writeback' };

/** A step that a request asks for: the state to enter, and the note about it. */
export type WishedStep = NonNullable<Wish['steps']>[number];

/** A step that is allowed. If `from` and `to` are equal, the task stays in its state. */
export interface TakenStep {
  readonly from: TaskState;
  readonly to: TaskState;
  /** The attempt after the step. */
  readonly attempt: number;
  /** The attempt before the step, to which the note belongs. */
  readonly noteAttempt: number;
  readonly note: string | undefined;
}

export interface TaskChange {
  readonly task: TaskRow;
  readonly dependencies: readonly Dependency[];
  /** True if the task itself changes. A note or a lease alone changes neither `version` nor `updated_at`. */
  readonly changed: boolean;
  /** True if the task's dependencies change. */
  readonly rewired: boolean;
  readonly steps: readonly TakenStep[];
  readonly lease: 'extend' | 'release' | 'leave';
}

/** `step`: which of the steps the problem is about, from 0; undefined if it is not about a step. */
export type Decision =
  | { readonly change: TaskChange }
  | { readonly problem: TaskProblem; readonly step?: number | undefined };

/** The steps that a request asks for. A request without `steps` asks for one step: `status` and `note`. */
export const stepsOf = (wish: Wish, status: TaskState): readonly WishedStep[] =>
  wish.steps ?? [{ status: wish.status ?? status, ...(wish.note !== undefined && { note: wish.note }) }];

/** The state in which a request asks the task to be afterwards. */
export const wishedState = (wish: Wish, status: TaskState): TaskState => stepsOf(wish, status).at(-1)?.status ?? status;

const sameNumbers = (a: readonly Dependency[], b: readonly Dependency[]): boolean =>
  a.length === b.length && a.every(({ n }, i) => n === b[i]?.n);

/** Whether the request changes something that only the holder of a live lease may change. A value that stays the same is allowed. */
const isGuarded = ({ task, wanted, missing, dependencies }: Facts, wish: Wish): boolean =>
  wish.release === true ||
  stepsOf(wish, task.status).some(({ status }) => status !== task.status) ||
  (wish.assignee !== undefined && wish.assignee !== task.assignee) ||
  missing.length > 0 ||
  !sameNumbers(wanted ?? dependencies, dependencies);

/** The lease that the caller holds, by its token: it is live, or it ran out and this call renews it. */
export const ownLease = ({ lease, task, now }: Facts, { lease_token }: Wish): Lease | undefined =>
  lease_token !== undefined && isOpenedBy(lease, lease_token, task.version, now) ? lease : undefined;

const leaseProblem = (facts: Facts, wish: Wish): TaskProblem | undefined => {
  const { lease, now } = facts;
  const live = isLive(lease, now) ? lease : undefined;
  if (wish.lease_token === undefined) {
    if (live === undefined || !isGuarded(facts, wish)) return undefined;
    return { kind: 'lease required', holder: live.holder, until: live.until };
  }
  if (ownLease(facts, wish) !== undefined) return undefined;
  if (live !== undefined) return { kind: 'lease lost', why: 'held', holder: live.holder, until: live.until };
  const over = lease?.token === wish.lease_token ? lease : undefined;
  const why = over === undefined ? 'other token' : 'over';
  return {
    ...{ kind: 'lease lost', why: isTerminal(facts.task.status) ? 'ended' : why },
    ...{ holder: null, until: over?.until ?? null },
  };
};

/** A list that stays as it is may name a cancelled task: a caller that repeats what it has read changes nothing. */
const dependencyProblem = ({ missing, cycle, wanted, dependencies }: Facts): TaskProblem | undefined => {
  if (missing.length > 0) return { kind: 'missing', ids: missing };
  if (cycle !== undefined) return { kind: 'cycle', path: cycle };
  const ids = wanted === undefined || sameNumbers(wanted, dependencies) ? [] : cancelledIds(wanted);
  return ids.length === 0 ? undefined : { kind: 'cancelled', ids };
};

const VALUES = ['title', 'description', 'priority', 'assignee'] as const;

/** The task with those values of the request that need no checks. */
const withValues = ({ task, whose }: Facts, wish: Wish): TaskRow => {
  const given = VALUES.filter((name) => wish[name] !== undefined);
  return { ...task, ...whose, ...Object.fromEntries(given.map((name) => [name, wish[name]])) };
};

/** What happens to the lease. A call by the holder extends it: a call with the lease's token, or a note under the holder's name. */
const leaseAfter = (wish: Wish, facts: Facts, status: TaskState): TaskChange['lease'] => {
  const { task, lease, agent, now } = facts;
  const own = ownLease(facts, wish);
  if (own === undefined && !isLive(lease, now)) return 'leave';
  if (wish.release === true || isTerminal(status)) return 'release';
  const hasNote = stepsOf(wish, task.status).some(({ note }) => note !== undefined);
  const byHolder = own !== undefined || (hasNote && agent === lease?.holder);
  return byHolder ? 'extend' : 'leave';
};

const differs = (a: TaskValues, b: TaskValues): boolean =>
  [...VALUES, 'project' as const, 'project_id' as const, 'status' as const].some((name) => a[name] !== b[name]);

/** Takes the steps one after the other. A note counts as a thought of the attempt before its step. */
const takeSteps = (
  { task, thoughts: before }: Facts,
  wished: readonly WishedStep[],
  dependencies: readonly Dependency[],
): { readonly steps: readonly TakenStep[] } | { readonly problem: TaskProblem; readonly step: number } => {
  const blockedBy = openIds(dependencies);
  const steps: TakenStep[] = [];
  let { status: from, attempt } = task;
  let thoughts = before;
  for (const [step, { status: to, note }] of wished.entries()) {
    thoughts += note === undefined ? 0 : 1;
    const taken = stepTask(from, to, { blockedBy, thoughts, attempt });
    if (taken.kind === 'invalid') return { step, problem: { kind: 'transition', from, to, allowed: taken.allowed } };
    if (taken.kind === 'blocked') return { step, problem: { kind: 'blocked', blockedBy } };
    if (taken.kind === 'writeback required') return { step, problem: { kind: 'writeback' } };
    const after = taken.kind === 'move' ? taken.attempt : attempt;
    steps.push({ from, to, attempt: after, noteAttempt: attempt, note });
    if (after !== attempt) thoughts = 0;
    [from, attempt] = [to, after];
  }
  return { steps };
};

export const decideChange = (facts: Facts, wish: Wish): Decision => {
  const { task, now } = facts;
  const problem = leaseProblem(facts, wish);
  if (problem !== undefined) return { problem };
  if (wish.expected_version !== undefined && wish.expected_version !== task.version) {
    return { problem: { kind: 'version', actual: task.version } };
  }
  const badDependency = dependencyProblem(facts);
  if (badDependency !== undefined) return { problem: badDependency };

  const dependencies = facts.wanted ?? facts.dependencies;
  const taken = takeSteps(facts, stepsOf(wish, task.status), dependencies);
  if ('problem' in taken) return wish.steps === undefined ? { problem: taken.problem } : taken;
  const { steps } = taken;
  const { to: status, attempt } = steps.at(-1) ?? { to: task.status, attempt: task.attempt };

  const next = { ...withValues(facts, wish), status, attempt };
  const rewired = !sameNumbers(dependencies, facts.dependencies);
  // A list of steps may come back to the state in which it began, in a later attempt.
  const changed = differs(task, next) || attempt !== task.attempt || rewired;
  return {
    change: {
      task: changed ? { ...next, version: task.version + 1, updated_at: now } : task,
      dependencies,
      changed,
      rewired,
      steps,
      lease: leaseAfter(wish, facts, status),
    },
  };
};
