// Decides whether a requested change of a task (a Wish) is allowed. Pure: takes facts, returns the change or the first problem. The order of
// the checks is: lease, version, dependencies, status.
import { isTerminal, stepTask, type TaskState } from './state-machine.js';
import { type Dependency, isLive, type Lease, openIds, type TaskRow, type TaskValues } from './task.js';
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
  | { readonly kind: 'lease'; readonly holder: string | null; readonly until: string | null }
  | { readonly kind: 'version'; readonly actual: number }
  | { readonly kind: 'missing'; readonly ids: readonly string[] }
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | {
      readonly kind: 'transition';
      readonly from: TaskState;
      readonly to: TaskState;
      readonly allowed: readonly TaskState[];
    }
  | { readonly kind: 'blocked'; readonly blockedBy: readonly string[] }
  | { readonly kind: 'writeback' };

export interface TaskChange {
  readonly task: TaskRow;
  readonly dependencies: readonly Dependency[];
  /** True if the task itself changes. A note or a lease alone changes neither `version` nor `updated_at`. */
  readonly changed: boolean;
  /** True if the task's dependencies change. */
  readonly rewired: boolean;
  readonly moved: { readonly from: TaskState; readonly to: TaskState } | undefined;
  readonly lease: 'extend' | 'release' | 'leave';
}

export type Decision = { readonly change: TaskChange } | { readonly problem: TaskProblem };

const sameNumbers = (a: readonly Dependency[], b: readonly Dependency[]): boolean =>
  a.length === b.length && a.every(({ n }, i) => n === b[i]?.n);

/** Whether the request changes something that only the holder of a live lease may change. A value that stays the same is allowed. */
const isGuarded = ({ task, wanted, missing, dependencies }: Facts, wish: Wish): boolean =>
  wish.release === true ||
  (wish.status ?? task.status) !== task.status ||
  (wish.assignee !== undefined && wish.assignee !== task.assignee) ||
  missing.length > 0 ||
  !sameNumbers(wanted ?? dependencies, dependencies);

const leaseProblem = (facts: Facts, wish: Wish): TaskProblem | undefined => {
  const live = isLive(facts.lease, facts.now) ? facts.lease : undefined;
  const lost: TaskProblem = { kind: 'lease', holder: live?.holder ?? null, until: live?.until ?? null };
  if (wish.lease_token !== undefined) return live?.token === wish.lease_token ? undefined : lost;
  return live !== undefined && isGuarded(facts, wish) ? lost : undefined;
};

const dependencyProblem = ({ missing, cycle }: Facts): TaskProblem | undefined => {
  if (missing.length > 0) return { kind: 'missing', ids: missing };
  return cycle === undefined ? undefined : { kind: 'cycle', path: cycle };
};

const VALUES = ['title', 'description', 'priority', 'assignee'] as const;

/** The task with those values of the request that need no checks. */
const withValues = ({ task, whose }: Facts, wish: Wish): TaskRow => {
  const given = VALUES.filter((name) => wish[name] !== undefined);
  return { ...task, ...whose, ...Object.fromEntries(given.map((name) => [name, wish[name]])) };
};

/** What happens to the lease. A call by the holder extends it: a call with the lease's token, or a note under the holder's name. */
const leaseAfter = (wish: Wish, { lease, agent, now }: Facts, status: TaskState): TaskChange['lease'] => {
  if (!isLive(lease, now)) return 'leave';
  if (wish.release === true || isTerminal(status)) return 'release';
  const byHolder = wish.lease_token !== undefined || (wish.note !== undefined && agent === lease.holder);
  return byHolder ? 'extend' : 'leave';
};

const differs = (a: TaskValues, b: TaskValues): boolean =>
  [...VALUES, 'project' as const, 'project_id' as const, 'status' as const].some((name) => a[name] !== b[name]);

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
  const to = wish.status ?? task.status;
  const thoughts = facts.thoughts + (wish.note === undefined ? 0 : 1);
  const taken = stepTask(task.status, to, { blockedBy: openIds(dependencies), thoughts, attempt: task.attempt });
  if (taken.kind === 'invalid')
    return { problem: { kind: 'transition', from: task.status, to, allowed: taken.allowed } };
  if (taken.kind === 'blocked') return { problem: { kind: 'blocked', blockedBy: taken.blockedBy } };
  if (taken.kind === 'writeback required') return { problem: { kind: 'writeback' } };

  const next = {
    ...withValues(facts, wish),
    status: to,
    attempt: taken.kind === 'move' ? taken.attempt : task.attempt,
  };
  const rewired = !sameNumbers(dependencies, facts.dependencies);
  const changed = differs(task, next) || rewired;
  return {
    change: {
      task: changed ? { ...next, version: task.version + 1, updated_at: now } : task,
      dependencies,
      changed,
      rewired,
      moved: taken.kind === 'move' ? { from: task.status, to } : undefined,
      lease: leaseAfter(wish, facts, to),
    },
  };
};
