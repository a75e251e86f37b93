// What the task tools promise, written down a second time as plainly as possible: a few arrays, no store. Histories are
// run through both.
import type { State } from './task-tools.js';

export interface ModelLease {
  token: number;
  holder: string;
  untilMs: number;
  minutes: number;
  released: boolean;
  /** The task's version after the last call with the token. */
  version: number;
}

export interface ModelTask {
  readonly n: number;
  title: string;
  status: State;
  priority: string;
  assignee: string | null;
  deps: number[];
  attempt: number;
  version: number;
  updatedMs: number;
  /** Attempt of each thought. */
  thoughts: number[];
  lease: ModelLease | undefined;
}

export interface ModelWish {
  readonly title?: string;
  readonly priority?: string;
  readonly assignee?: string | null;
  readonly depends_on?: readonly number[];
  readonly status?: State;
  readonly note?: string;
  readonly expected_version?: number;
  readonly lease_token?: number;
  readonly release?: boolean;
}

/** Every arrow there is. */
export const ARROWS: readonly string[] = [
  ...['INIT GATHER', 'GATHER ANALYZE', 'ANALYZE PLAN', 'PLAN APPLY', 'APPLY VERIFY', 'VERIFY DONE', 'VERIFY GATHER'],
  ...['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'].map((from) => `${from} CANCELLED`),
];

const URGENCY = ['urgent', 'high', 'normal', 'low'];
const NEARNESS = ['VERIFY', 'APPLY', 'PLAN', 'ANALYZE', 'GATHER', 'INIT'];
const isOver = ({ status }: ModelTask): boolean => status === 'DONE' || status === 'CANCELLED';
const same = (a: readonly number[], b: readonly number[]): boolean => a.join() === b.join();
const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

export class Model {
  readonly tasks: ModelTask[] = [];
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  task(n: number): ModelTask | undefined {
    return this.tasks.find((task) => task.n === n);
  }

  create(n: number, title: string, priority: string, deps: readonly number[]): void {
    this.tasks.push({
      ...{ n, title, priority, status: 'INIT', assignee: null, attempt: 1, version: 1, updatedMs: this.nowMs },
      ...{ deps: ascending(deps), thoughts: [], lease: undefined },
    });
  }

  live(task: ModelTask): ModelLease | undefined {
    const { lease } = task;
    return lease !== undefined && !lease.released && lease.untilMs > this.nowMs ? lease : undefined;
  }

  /** The lease that a token opens: it is live, or nobody changed the task since it was last used. */
  opened(task: ModelTask, token: number | undefined): ModelLease | undefined {
    const { lease } = task;
    if (lease === undefined || lease.released || token !== lease.token) return undefined;
    return lease.untilMs > this.nowMs || lease.version === task.version ? lease : undefined;
  }

  open(task: ModelTask, deps: readonly number[] = task.deps): number[] {
    return deps.filter((n) => this.task(n)?.status !== 'DONE');
  }

  leadsTo(from: number, target: number, seen = new Set<number>()): boolean {
    if (from === target) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (this.task(from)?.deps ?? []).some((n) => this.leadsTo(n, target, seen));
  }

  /** Whether a call repeats the one that ended the task: it has the token of then, and asks for the state in which the task is. */
  isRepeated(task: ModelTask, { status, lease_token, ...rest }: ModelWish): boolean {
    const isPlain = Object.values(rest).every((value) => value === undefined);
    return (
      isPlain &&
      isOver(task) &&
      status === task.status &&
      lease_token === task.lease?.token &&
      lease_token !== undefined
    );
  }

  /** The code of the refusal, or nothing. */
  refusal(n: number, wish: ModelWish): string | undefined {
    const task = this.task(n);
    if (task === undefined) return 'ERR_NOT_FOUND';
    if (this.isRepeated(task, wish)) return undefined;
    const live = this.live(task);
    const to = wish.status ?? task.status;
    const deps = wish.depends_on === undefined ? task.deps : ascending(wish.depends_on);
    const needsToken =
      to !== task.status ||
      (wish.assignee !== undefined && wish.assignee !== task.assignee) ||
      !same(deps, task.deps) ||
      wish.release === true;
    if (wish.lease_token !== undefined && this.opened(task, wish.lease_token) === undefined) return 'ERR_LEASE_LOST';
    if (wish.lease_token === undefined && live !== undefined && needsToken) return 'ERR_LEASE_REQUIRED';
    if (wish.expected_version !== undefined && wish.expected_version !== task.version) return 'ERR_VERSION_CONFLICT';
    if (deps.some((on) => this.task(on) === undefined)) return 'ERR_NOT_FOUND';
    if (wish.depends_on !== undefined && deps.some((on) => this.leadsTo(on, n))) return 'ERR_DEPENDENCY_CYCLE';
    if (!same(deps, task.deps) && deps.some((on) => this.task(on)?.status === 'CANCELLED'))
      return 'ERR_DEPENDENCY_CANCELLED';
    if (to === task.status) return undefined;
    if (!ARROWS.includes(`${task.status} ${to}`)) return 'ERR_INVALID_TRANSITION';
    if (to === 'APPLY' && this.open(task, deps).length > 0) return 'ERR_BLOCKED';
    const thoughts = task.thoughts.filter((attempt) => attempt === task.attempt).length;
    if (to === 'DONE' && thoughts === 0 && wish.note === undefined) return 'ERR_WRITEBACK_REQUIRED';
    return undefined;
  }

  update(n: number, wish: ModelWish, agent: string): void {
    const task = this.task(n);
    if (task === undefined) throw new Error(`no task ${n}`);
    const opened = this.opened(task, wish.lease_token);
    const live = opened ?? this.live(task);
    if (wish.note !== undefined) task.thoughts.push(task.attempt);
    const before = JSON.stringify([task.title, task.priority, task.assignee, task.status, task.deps]);
    const retry = task.status === 'VERIFY' && wish.status === 'GATHER';
    task.title = wish.title ?? task.title;
    task.priority = wish.priority ?? task.priority;
    if (wish.assignee !== undefined) task.assignee = wish.assignee;
    if (wish.depends_on !== undefined) task.deps = ascending(wish.depends_on);
    task.status = wish.status ?? task.status;
    if (retry) task.attempt += 1;
    if (JSON.stringify([task.title, task.priority, task.assignee, task.status, task.deps]) !== before) {
      task.version += 1;
      task.updatedMs = this.nowMs;
    }
    if (live === undefined) return;
    if (wish.release === true || isOver(task)) {
      live.released = true;
      live.untilMs = this.nowMs;
      return;
    }
    if (opened !== undefined) opened.version = task.version;
    if (opened !== undefined || (wish.note !== undefined && agent === live.holder))
      live.untilMs = this.nowMs + live.minutes * 60_000;
  }

  #inOrder(tasks: readonly ModelTask[]): ModelTask[] {
    return tasks.toSorted(
      (a, b) =>
        URGENCY.indexOf(a.priority) - URGENCY.indexOf(b.priority) ||
        NEARNESS.indexOf(a.status) - NEARNESS.indexOf(b.status) ||
        a.n - b.n,
    );
  }

  /** What nobody works on and everybody could, in the order of the queue. */
  free(): ModelTask[] {
    const free = (task: ModelTask) => this.open(task).length === 0 && this.live(task) === undefined;
    return this.#inOrder(this.tasks.filter((task) => !isOver(task) && free(task)));
  }

  held(holder: string): ModelTask[] {
    return this.#inOrder(this.tasks.filter((task) => !isOver(task) && this.live(task)?.holder === holder));
  }

  /** What is listed for an assignee, with what it works on, or for anybody. */
  ready(assignee: string | undefined): ModelTask[] {
    if (assignee === undefined) return this.free();
    return this.#inOrder([...this.free().filter((task) => task.assignee === assignee), ...this.held(assignee)]);
  }

  /** Whether the claimer gave the task back less than ten minutes ago. */
  #gaveBack({ lease }: ModelTask, by: string): boolean {
    return lease?.released === true && lease.holder === by && lease.untilMs > this.nowMs - 10 * 60_000;
  }

  /** The task that a claim gets. `isNew`: its token is a new one. */
  claim(by: string, assignee: string | undefined, minutes: number, another: boolean) {
    const [held] = another ? [] : this.held(by);
    if (held?.lease !== undefined) {
      held.lease.minutes = Math.max(held.lease.minutes, minutes);
      held.lease.untilMs = this.nowMs + held.lease.minutes * 60_000;
      held.lease.version = held.version;
      return { task: held, isNew: false };
    }
    const may = this.free()
      .filter((task) => task.assignee === null || task.assignee === by)
      .filter((task) => assignee === undefined || task.assignee === assignee);
    const [first] = may;
    const sameRank = may.filter(({ priority }) => priority === first?.priority);
    const task = sameRank.find((one) => !this.#gaveBack(one, by)) ?? first;
    if (task === undefined) return undefined;
    const untilMs = this.nowMs + minutes * 60_000;
    task.lease = { token: 0, holder: by, minutes, untilMs, released: false, version: task.version };
    return { task, isNew: true };
  }
}
