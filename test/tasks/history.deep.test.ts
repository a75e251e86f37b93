// Random histories of tasks, dependencies, leases and versions, through the tools and through the model. The clock is
// turned by hand. When all is over, every evidence row is as the ledger says.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Model, type ModelTask, type ModelWish } from './model.js';
import { errorIn, handClock, MINUTE, openTaskTools, type State, TASK_STATES, type TaskTools } from './task-tools.js';

const RUNS = 70;
const LENGTH = 60;
const NAMES = ['ann', 'bob', 'cyd'] as const;

type Move =
  | { readonly kind: 'create'; readonly priority: string; readonly deps: readonly number[] }
  | { readonly kind: 'update'; readonly at: number; readonly wish: Wish; readonly agent: string }
  | { readonly kind: 'push'; readonly at: number; readonly steps: number }
  | {
      readonly kind: 'claim';
      readonly by: string;
      readonly assignee: string | undefined;
      readonly minutes: number;
      readonly another: boolean;
    }
  | { readonly kind: 'look'; readonly assignee: string | undefined; readonly limit: number }
  | { readonly kind: 'pass'; readonly minutes: number };

/** Numbers of tasks count from the first task of the history; versions and tokens from what is right. */
interface Wish {
  readonly title: string | undefined;
  readonly priority: string | undefined;
  readonly assignee: string | null | undefined;
  readonly deps: readonly number[] | undefined;
  readonly status: State | 'next' | undefined;
  readonly note: string | undefined;
  readonly version: number | undefined;
  readonly token: number | undefined;
  readonly release: boolean | undefined;
}

/** Absent in so many of ten cases. */
const maybe = <T>(value: fc.Arbitrary<T>, absent: number) =>
  fc.oneof({ weight: 10 - absent, arbitrary: value }, { weight: absent, arbitrary: fc.constant(undefined) });
const rarely = <T>(value: fc.Arbitrary<T>) => maybe(value, 8);
const priority = fc.constantFrom('urgent', 'high', 'normal', 'low');
const someone = fc.constantFrom(...NAMES);
const index = fc.nat({ max: 5 });
const off = fc.constantFrom(0, 0, 0, -1, 1);

const wish: fc.Arbitrary<Wish> = fc.record({
  title: rarely(fc.constantFrom('one', 'two')),
  priority: rarely(priority),
  assignee: rarely(fc.option(someone, { nil: null })),
  deps: rarely(fc.array(index, { maxLength: 3 })),
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant('next' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...TASK_STATES, 'CANCELLED', 'CANCELLED') },
    { weight: 4, arbitrary: fc.constant(undefined) },
  ),
  note: maybe(fc.constantFrom('because', 'seen'), 5),
  version: rarely(off),
  token: maybe(off, 6),
  release: maybe(fc.boolean(), 9),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('create' as const), priority, deps: fc.array(index, { maxLength: 3 }) }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('update' as const), at: index, wish, agent: someone }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('push' as const), at: index, steps: fc.nat({ max: 6 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      by: someone,
      assignee: rarely(someone),
      minutes: fc.constantFrom(1, 5, 30),
      another: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      assignee: rarely(someone),
      limit: fc.constantFrom(1, 3, 100),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(1, 4, 31) }) },
);

const NOTHING: Wish = {
  ...{ title: undefined, priority: undefined, assignee: undefined, deps: undefined, status: undefined },
  ...{ note: undefined, version: undefined, token: undefined, release: undefined },
};

const NEXT: Readonly<Partial<Record<State, State>>> = {
  INIT: 'GATHER',
  GATHER: 'ANALYZE',
  ANALYZE: 'PLAN',
  PLAN: 'APPLY',
  APPLY: 'VERIFY',
  VERIFY: 'DONE',
};

const id = (n: number): string => `T-${String(n).padStart(4, '0')}`;

/** Leaves out what is undefined: an absent argument means unchanged. */
const given = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

/** What a write answers. */
const written = ({ n, status, version, attempt }: ModelTask) => ({ task_id: id(n), status, version, attempt });

const shown = (model: Model, task: ModelTask, project: string) => ({
  task_id: id(task.n),
  title: task.title,
  project,
  status: task.status,
  priority: task.priority,
  assignee: task.assignee,
  depends_on: task.deps.map(id),
  blocked_by: model.open(task).map(id),
  attempt: task.attempt,
  version: task.version,
  updated_at: new Date(task.updatedMs).toISOString(),
});

class History {
  readonly #tools: TaskTools;
  readonly #model: Model;
  readonly #project: string;
  readonly #pass: (ms: number) => void;
  readonly #given = new Set<number>();
  #notes = 0;
  #first: number | undefined;

  constructor(tools: TaskTools, clock: ReturnType<typeof handClock>, project: string) {
    this.#tools = tools;
    this.#model = new Model(Date.parse(clock.now()));
    this.#project = project;
    this.#pass = clock.pass;
  }

  /** Tasks that exist, and a few that do not. */
  #number(place: number): number {
    return (this.#first ?? 900_000) + place;
  }

  #wish(n: number, { status, deps, version, token, ...rest }: Wish): ModelWish {
    const task = this.#model.task(n);
    const right = task?.lease?.token ?? 1;
    return given({
      ...rest,
      // A note that was recorded last would be taken for a repeated call.
      note: rest.note && `${rest.note} ${this.#notes++}`,
      status: status === 'next' ? NEXT[task?.status ?? 'INIT'] : status,
      depends_on: deps?.map((place) => this.#number(place)),
      expected_version: version === undefined ? undefined : Math.max(1, (task?.version ?? 1) + version),
      lease_token: token === undefined ? undefined : Math.max(1, right + token),
    }) as ModelWish;
  }

  async make(step: Move): Promise<void> {
    switch (step.kind) {
      case 'create':
        return this.#create(step.priority, step.deps);
      case 'update':
        return this.#update(this.#number(step.at), step.wish, step.agent);
      case 'push':
        return this.#push(this.#number(step.at), step.steps);
      case 'claim':
        return this.#claim(step);
      case 'look':
        return this.#look(step.assignee, step.limit);
      case 'pass':
        this.#pass(step.minutes * MINUTE);
        this.#model.nowMs += step.minutes * MINUTE;
    }
  }

  async #create(wanted: string, places: readonly number[]): Promise<void> {
    const isFit = (n: number) => !['CANCELLED', undefined].includes(this.#model.task(n)?.status);
    const deps = places.map((place) => this.#number(place)).filter(isFit);
    const title = `task ${this.#model.tasks.length}`;
    const args = { title, priority: wanted, project: this.#project, depends_on: deps.map(id) };
    const task = await this.#tools.ok('task_create', args);
    const n = Number(task.task_id.slice(2));
    this.#first ??= n;
    this.#model.create(n, title, wanted, deps);
    const made = this.#model.task(n);
    if (made !== undefined) expect(task).toMatchObject(written(made));
  }

  async #update(n: number, wished: Wish, agent: string): Promise<void> {
    const change = this.#wish(n, wished);
    const refusal = this.#model.refusal(n, change);
    const { depends_on, ...rest } = change;
    const args = { task_id: id(n), ...rest, ...(depends_on && { depends_on: depends_on.map(id) }) };
    const answer = await this.#tools.call('task_update', args, agent);
    expect(errorIn(answer)?.code, JSON.stringify(args)).toBe(refusal);
    if (refusal !== undefined) return;
    this.#model.update(n, change, agent);
    const task = this.#model.task(n);
    if (task !== undefined) expect(answer.data).toMatchObject(written(task));
  }

  /** Straight on, as whoever may. */
  async #push(n: number, steps: number): Promise<void> {
    for (let i = 0; i < steps; i++) {
      const task = this.#model.task(n);
      const token = task && this.#model.live(task) && 0;
      const status = task?.status === 'VERIFY' && i % 2 === 0 ? 'GATHER' : 'next';
      await this.#update(n, { ...NOTHING, status, token, note: 'on' }, 'ann');
    }
  }

  async #claim({ by, assignee, minutes, another }: Extract<Move, { kind: 'claim' }>): Promise<void> {
    const { task: wanted, isNew } = this.#model.claim(by, assignee, minutes, another) ?? {};
    const args = given({ project: this.#project, claim_by: by, lease_minutes: minutes, assignee, another });
    const { actions, reason, also_held = [] } = await this.#tools.ok('task_next_actions', args);
    expect(actions).toHaveLength(wanted === undefined ? 0 : 1);
    expect(typeof reason).toBe(wanted === undefined ? 'string' : 'object');
    const others = this.#model.held(by).filter((task) => task !== wanted);
    expect(also_held.map((one: { task_id: string }) => one.task_id)).toEqual(others.map((task) => id(task.n)));
    if (wanted?.lease === undefined) return;
    const [{ lease_token, resumed }] = actions;
    if (isNew === true) {
      expect(this.#given.has(lease_token)).toBe(false);
      this.#given.add(lease_token);
      wanted.lease.token = lease_token;
    }
    expect(resumed).toBe(isNew === true ? undefined : true);
    expect(actions[0]).toMatchObject({
      task: { ...shown(this.#model, wanted, this.#project), lease: { holder: by } },
      lease_token: wanted.lease.token,
      lease_until: new Date(wanted.lease.untilMs).toISOString(),
    });
  }

  async #look(assignee: string | undefined, limit: number): Promise<void> {
    const ready = this.#model.ready(assignee);
    const { actions, blocked } = await this.#tools.ok(
      'task_next_actions',
      given({ project: this.#project, assignee, limit }),
    );
    const tasks = actions.map(({ task }: { task: unknown }) => task);
    expect(tasks).toEqual(
      ready.slice(0, limit).map((task) => expect.objectContaining(shown(this.#model, task, this.#project))),
    );
    const waiting = this.#model.tasks.filter(
      (task) => !['DONE', 'CANCELLED'].includes(task.status) && this.#model.open(task).length > 0,
    );
    // The advised call is tried in steps.test.ts.
    expect(blocked.map(({ next: _advice, ...rest }: Record<string, unknown>) => rest)).toEqual(
      waiting.slice(0, 10).map((task) => {
        const cancelled = this.#model.open(task).filter((on) => this.#model.task(on)?.status === 'CANCELLED');
        return {
          ...{ task_id: id(task.n), waits_for: this.#model.open(task).map(id) },
          ...(cancelled.length > 0 && { cancelled: cancelled.map(id) }),
        };
      }),
    );
  }

  /** Everything there is, and every lease. */
  async compare(): Promise<void> {
    const { tasks } = await this.#tools.ok('task_list', { project: this.#project, limit: 200 });
    expect(tasks).toEqual(
      this.#model.tasks.map((task) => expect.objectContaining(shown(this.#model, task, this.#project))),
    );
    for (const { n, lease } of this.#model.tasks) {
      const row = await this.#tools.store.read((tx) =>
        tx.get('SELECT token, holder, until, minutes, released FROM leases WHERE task_n = ?', n),
      );
      const { token, holder, minutes } = lease ?? {};
      const until = lease && new Date(lease.untilMs).toISOString();
      expect(row).toEqual(lease && { token, holder, until, minutes, released: lease.released ? 1 : 0 });
    }
  }
}

test(`${RUNS} histories agree with the model, and every row with the ledger`, async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: LENGTH, maxLength: LENGTH }), async (moves) => {
      const history = new History(tools, clock, `history-${runs++}`);
      for (const step of moves) await history.make(step);
      await history.compare();
    }),
    { numRuns: RUNS, seed: 20_261_115, endOnFailure: false },
  );
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
  // Histories that go nowhere prove nothing.
  const count = async (what: string, least: number) => {
    const row = await tools.store.read((tx) => tx.get<{ count: number }>(`SELECT COUNT(*) AS count FROM ${what}`));
    expect(row?.count, what).toBeGreaterThanOrEqual(least);
  };
  const waited = 'task_dependencies d JOIN tasks t ON t.n = d.depends_on_n JOIN tasks w ON w.n = d.task_n';
  await count(`${waited} WHERE t.status = 'DONE' AND w.terminal = 0`, 15);
  await count(`${waited} WHERE t.status = 'CANCELLED'`, 10);
  await count('tasks WHERE attempt > 1', 10);
  await count('leases WHERE token > 1', 10);
  await count('leases WHERE released = 1', 10);
}, 180_000);
