// A refusal comes with ready calls. Random worlds, random wrong moves: every call succeeds in the order given, at most
// three, and where three calls can fulfil the wish, they do.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Answer,
  errorIn,
  handClock,
  MINUTE,
  type NextCall,
  openTaskTools,
  type State,
  TASK_STATES,
  type TaskTools,
  taskIn,
} from './task-tools.js';

const RUNS = 220;
const MOST = 3;

interface Plan {
  readonly status: State;
  readonly note: boolean;
  readonly lease: 'none' | 'live' | 'over';
  readonly deps: readonly number[];
}

interface Placed {
  readonly id: string;
  readonly status: State;
  readonly deps: readonly number[];
  readonly token: number | undefined;
  readonly held: boolean;
}

interface Wish {
  readonly at: number;
  readonly status: State | undefined;
  readonly deps: readonly (number | 'nobody')[] | undefined;
  readonly title: string | undefined;
  readonly note: string | undefined;
  readonly version: number | undefined;
  readonly token: 'right' | 'wrong' | undefined;
  readonly release: true | undefined;
}

/** Absent in so many of ten cases. */
const maybe = <T>(value: fc.Arbitrary<T>, absent: number) =>
  fc.oneof({ weight: 10 - absent, arbitrary: value }, { weight: absent, arbitrary: fc.constant(undefined) });

const SIZE = 5;
const place = fc.nat({ max: SIZE - 1 });
const plan: fc.Arbitrary<Plan> = fc.record({
  status: fc.constantFrom<State>(...TASK_STATES, 'PLAN', 'VERIFY', 'VERIFY'),
  note: fc.boolean(),
  lease: fc.constantFrom('none', 'none', 'none', 'live', 'over'),
  deps: fc.array(place, { maxLength: 2 }),
});
const wish: fc.Arbitrary<Wish> = fc.record({
  at: place,
  status: maybe(fc.constantFrom<State>(...TASK_STATES, 'APPLY', 'APPLY', 'DONE'), 1),
  deps: maybe(
    fc.array(fc.oneof({ weight: 8, arbitrary: place }, { weight: 1, arbitrary: fc.constant('nobody' as const) }), {
      maxLength: 3,
    }),
    7,
  ),
  title: maybe(fc.constant('a better title'), 5),
  note: maybe(fc.constant('a reason'), 7),
  version: maybe(fc.constantFrom(0, 1, 7), 7),
  token: maybe(fc.constantFrom('right', 'wrong'), 6),
  release: maybe(fc.constant(true), 9),
});

/** Tasks in the wished states; each may wait for those before it only. Leases that are over were live an hour ago. */
const build = async (
  tools: TaskTools,
  clock: ReturnType<typeof handClock>,
  plans: readonly Plan[],
): Promise<Placed[]> => {
  const project = crypto.randomUUID();
  const lease = async (assignee: string): Promise<number | undefined> =>
    (await tools.ok('task_next_actions', { project, assignee, claim_by: 'holder', lease_minutes: 30 })).actions[0]
      ?.lease_token;
  const tasks: Answer[] = [];
  const tokens: (number | undefined)[] = [];
  for (const [i, { status, note }] of plans.entries()) {
    const task = await taskIn(tools, status, { project, assignee: `w${i}`, title: `t${i}` });
    if (note) await tools.ok('task_update', { task_id: task.task_id, note: 'seen' });
    tasks.push(task);
  }
  for (const [i, { lease: wanted }] of plans.entries())
    tokens[i] = wanted === 'over' ? await lease(`w${i}`) : undefined;
  clock.pass(60 * MINUTE);
  for (const [i, { lease: wanted }] of plans.entries())
    tokens[i] ??= wanted === 'live' ? await lease(`w${i}`) : undefined;
  const placed: Placed[] = [];
  for (const [i, { deps, lease: wanted }] of plans.entries()) {
    const before = [...new Set(deps.filter((on) => on < i))];
    const held = wanted === 'live' && tokens[i] !== undefined;
    const id = tasks[i]?.task_id;
    await tools.ok('task_update', {
      task_id: id,
      depends_on: before.map((on) => tasks[on]?.task_id),
      ...(held && { lease_token: tokens[i] }),
    });
    placed.push({ id, status: plans[i]?.status ?? 'INIT', deps: before, token: tokens[i], held });
  }
  return placed;
};

const NEXT: Readonly<Record<State, readonly State[]>> = {
  INIT: ['GATHER', 'CANCELLED'],
  GATHER: ['ANALYZE', 'CANCELLED'],
  ANALYZE: ['PLAN', 'CANCELLED'],
  PLAN: ['APPLY', 'CANCELLED'],
  APPLY: ['VERIFY', 'CANCELLED'],
  VERIFY: ['DONE', 'GATHER', 'CANCELLED'],
  DONE: [],
  CANCELLED: [],
};

/** States to enter, by trying everything up to three calls. */
const way = (from: State, to: State, room = MOST): State[] | undefined => {
  if (from === to) return [];
  if (room === 0) return undefined;
  const ways = NEXT[from].flatMap((state) => {
    const rest = way(state, to, room - 1);
    return rest === undefined ? [] : [[state, ...rest]];
  });
  return ways.sort((a, b) => a.length - b.length)[0];
};

/** How many calls it takes at least to fulfil the wish by the rules; Infinity where it cannot be. */
const callsNeeded = (world: readonly Placed[], wanted: Wish, agentHolds: boolean): number => {
  const task = world[wanted.at];
  if (task === undefined) return Infinity;
  const deps = wanted.deps ?? task.deps;
  const waitsFor = (from: number): boolean =>
    from === wanted.at || (world[from]?.deps ?? []).some((on) => waitsFor(on));
  if (deps.some((on) => on === 'nobody' || waitsFor(on))) return Infinity;
  const changes = wanted.status !== undefined && wanted.status !== task.status;
  const rewires = wanted.deps !== undefined && [...new Set(deps)].sort().join() !== [...task.deps].sort().join();
  if (task.held && !agentHolds && (changes || rewires || wanted.release === true)) return Infinity;
  const ended = new Set<number>();
  const end = (n: number): number => {
    const blocker = world[n];
    if (blocker === undefined || ended.has(n) || ['DONE', 'CANCELLED'].includes(blocker.status)) return 0;
    ended.add(n);
    const steps = blocker.held ? undefined : way(blocker.status, 'DONE');
    if (steps === undefined) return Infinity;
    const first = steps.includes('APPLY') ? blocker.deps.reduce<number>((sum, on) => sum + end(on), 0) : 0;
    return first + steps.length;
  };
  const steps = changes ? way(task.status, wanted.status ?? task.status) : [];
  if (steps === undefined) return Infinity;
  const first = steps.includes('APPLY') ? (deps as number[]).reduce<number>((sum, on) => sum + end(on), 0) : 0;
  return first + Math.max(1, steps.length);
};

const argumentsOf = async (tools: TaskTools, world: readonly Placed[], wanted: Wish): Promise<Answer> => {
  const task = world[wanted.at];
  const { version } = await tools.ok('task_get', { task_id: task?.id });
  const token = task?.token ?? 1;
  return {
    task_id: task?.id,
    ...(wanted.status && { status: wanted.status }),
    ...(wanted.deps && { depends_on: wanted.deps.map((on) => (on === 'nobody' ? 'T-888888' : world[on]?.id)) }),
    ...(wanted.title && { title: wanted.title }),
    ...(wanted.note && { note: wanted.note }),
    ...(wanted.version !== undefined && { expected_version: version + wanted.version }),
    ...(wanted.token && { lease_token: token + (wanted.token === 'right' ? 0 : 5) }),
    ...(wanted.release && { release: true }),
  };
};

const cancelledIds = async (tools: TaskTools, world: readonly Placed[]): Promise<Set<string>> => {
  const ids = world.map(async ({ id }) => (await tools.ok('task_get', { task_id: id })).status === 'CANCELLED' && id);
  return new Set((await Promise.all(ids)).filter((id) => id !== false));
};

/** The wish is fulfilled: its values stand, but for dependencies that were cancelled. */
const expectFulfilled = async (tools: TaskTools, world: readonly Placed[], args: Answer): Promise<void> => {
  const { task_id, status, title, depends_on } = args;
  const task = await tools.ok('task_get', { task_id });
  if (status !== undefined) expect(task.status).toBe(status);
  if (title !== undefined) expect(task.title).toBe(title);
  if (depends_on === undefined) return;
  const cancelled = await cancelledIds(tools, world);
  const firm = (ids: readonly string[]) => [...new Set(ids.filter((id) => !cancelled.has(id)))].sort();
  expect(firm(task.depends_on)).toEqual(firm(depends_on));
};

test(`${RUNS} wrong moves: the advised calls succeed, and three reach what three can reach`, async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const refused = new Map<string, number>();
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: SIZE, maxLength: SIZE }),
      fc.array(wish, { minLength: 3, maxLength: 3 }),
      async (plans, wishes) => {
        const world = await build(tools, clock, plans);
        for (const wanted of wishes) {
          const args = await argumentsOf(tools, world, wanted);
          const error = errorIn(await tools.call('task_update', args));
          if (error === undefined) return; // the world is another one now
          refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
          expect(error.message.length).toBeLessThanOrEqual(300);
          const next = error.details.next as readonly NextCall[];
          const all = JSON.stringify({ args, error, world });
          expect(next.length, all).toBeGreaterThanOrEqual(1);
          expect(next.length, all).toBeLessThanOrEqual(MOST);
          for (const call of next) expect(errorIn(await tools.call(call.tool, call.arguments)), all).toBeUndefined();
          const holds = wanted.token === 'right' && (world[wanted.at]?.held ?? false);
          if (callsNeeded(world, wanted, holds) <= MOST) {
            reached += 1;
            await expectFulfilled(tools, world, args);
          }
          if (next.some(({ tool }) => tool !== 'task_get')) return;
        }
      },
    ),
    { numRuns: RUNS, seed: 7, endOnFailure: false },
  );
  expect([...refused.keys()].sort()).toEqual([
    'ERR_BLOCKED',
    'ERR_DEPENDENCY_CYCLE',
    'ERR_INVALID_TRANSITION',
    'ERR_LEASE_LOST',
    'ERR_NOT_FOUND',
    'ERR_VERSION_CONFLICT',
    'ERR_WRITEBACK_REQUIRED',
  ]);
  expect(reached).toBeGreaterThan(RUNS / 5);
}, 60_000);
