// What the task tools promise, written down a second time as plainly as possible: a few arrays, no store. Histories are
// run through both.
import type { State } from './task-tools.js';

export interface ModelLease {
  token: number;
  holder: string;
  untilMs: number;
  minutes: number;
  released: boolean;
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

  open(task: ModelTask, deps: readonly number[] = task.deps): number[] {
    return deps.filter((n) => this.task(n)?.status !== 'DONE');
  }

  leadsTo(from: number, target: number, seen = new Set<number>()): boolean {
    if (from === target) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (this.task(from)?.deps ?? []).some((n) => this.leadsTo(n, target, seen));
  }

  /** The code of the refusal, or nothing. */
  refusal(n: number, wish: ModelWish): string | undefined {
    const task = this.task(n);
    if (task === undefined) return 'ERR_NOT_FOUND';
    const live = this.live(task);
    const to = wish.status ?? task.status;
    const deps = wish.depends_on === undefined ? task.deps : ascending(wish.depends_on);
    const needsToken =
      to !== task.status ||
      (wish.assignee !== undefined && wish.assignee !== task.assignee) ||
      !same(deps, task.deps) ||
      wish.release === true;
    if (wish.lease_token !== undefined && wish.lease_token !== live?.token) return 'ERR_LEASE_LOST';
    if (wish.lease_token === undefined && live !== undefined && needsToken) return 'ERR_LEASE_LOST';
    if (wish.expected_version !== undefined && wish.expected_version !== task.version) return 'ERR_VERSION_CONFLICT';
    if (deps.some((on) => this.task(on) === undefined)) return 'ERR_NOT_FOUND';
    if (wish.depends_on !== undefined && deps.some((on) => this.leadsTo(on, n))) return 'ERR_DEPENDENCY_CYCLE';
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
    const live = this.live(task);
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
    const byHolder = wish.lease_token !== undefined || (wish.note !== undefined && agent === live.holder);
    if (wish.release === true || isOver(task)) live.released = true;
    else if (byHolder) live.untilMs = this.nowMs + live.minutes * 60_000;
  }

  /** What can be worked on, for somebody or anybody, in the order in which it is handed out. */
  ready(holder: string | undefined, assignee: string | undefined): ModelTask[] {
    return this.tasks
      .filter((task) => !isOver(task) && this.open(task).length === 0)
      .filter((task) => this.live(task) === undefined || (holder !== undefined && this.live(task)?.holder === holder))
      .filter((task) => assignee === undefined || task.assignee === assignee)
      .sort(
        (a, b) =>
          URGENCY.indexOf(a.priority) - URGENCY.indexOf(b.priority) ||
          NEARNESS.indexOf(a.status) - NEARNESS.indexOf(b.status) ||
          a.n - b.n,
      );
  }

  claim(holder: string, assignee: string | undefined, minutes: number): ModelTask | undefined {
    const task = this.ready(undefined, assignee)[0];
    if (task === undefined) return undefined;
    if (task.assignee !== holder) {
      task.assignee = holder;
      task.version += 1;
      task.updatedMs = this.nowMs;
    }
    const token = (task.lease?.token ?? task.n * 1_000_000) + 1;
    task.lease = { token, holder, minutes, untilMs: this.nowMs + minutes * 60_000, released: false };
    return task;
  }
}
