// What advice.test.ts and advice.counted.deep.test.ts share: random worlds of tasks, random wrong requests, and what the advised calls may
// and may not do. The rules are written down here a second time.
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Answer,
  errorIn,
  handClock,
  MINUTE,
  type NextCall,
  openTaskTools,
  STEPS_TO,
  type State,
  TASK_STATES,
  type TaskTools,
} from './task-tools.js';

const MOST_CALLS = 3;
const MOST_STEPS = 8;
const SIZE = 4;

interface Plan {
  readonly status: State;
  readonly noted: boolean;
  readonly lease: 'none' | 'live' | 'over';
  readonly deps: readonly number[];
}

interface Placed {
  readonly id: string;
  readonly token: number | undefined;
  readonly isHeld: boolean;
}

interface Wish {
  readonly at: number;
  readonly steps: readonly { readonly status: State; readonly note: boolean }[];
  readonly asList: boolean;
  readonly deps: readonly (number | 'nobody')[] | undefined;
  readonly title: string | undefined;
  readonly version: number | undefined;
  readonly token: 'right' | 'wrong' | undefined;
  readonly key: string | undefined;
}

/** Absent in so many of ten cases. */
const maybe = <T>(value: fc.Arbitrary<T>, absent: number) =>
  fc.oneof({ weight: 10 - absent, arbitrary: value }, { weight: absent, arbitrary: fc.constant(undefined) });

const place = fc.nat({ max: SIZE - 1 });
const state = fc.constantFrom<State>(...TASK_STATES, 'APPLY', 'DONE', 'DONE');
export const plans: fc.Arbitrary<Plan[]> = fc.array(
  fc.record({
    status: fc.constantFrom<State>(...TASK_STATES, 'PLAN', 'VERIFY'),
    noted: fc.boolean(),
    lease: fc.constantFrom('none', 'none', 'live', 'over'),
    deps: fc.array(place, { maxLength: 3 }),
  }),
  { minLength: SIZE, maxLength: SIZE },
);
export const wishes: fc.Arbitrary<Wish> = fc.record({
  at: place,
  steps: fc.array(fc.record({ status: state, note: fc.boolean() }), { maxLength: 3 }),
  asList: fc.boolean(),
  deps: maybe(
    fc.array(fc.oneof({ weight: 6, arbitrary: place }, { weight: 1, arbitrary: fc.constant('nobody' as const) }), {
      maxLength: 3,
    }),
    6,
  ),
  title: maybe(fc.constant('a better title'), 5),
  version: maybe(fc.constantFrom(0, 0, 7), 7),
  token: maybe(fc.constantFrom('right', 'right', 'wrong'), 4),
  key: maybe(fc.uuid(), 7),
});

/** Tasks in the planned states; each waits for some of those before it, whatever became of them since. */
const build = async (tools: TaskTools, clock: ReturnType<typeof handClock>, wanted: readonly Plan[]) => {
  const world: Placed[] = [];
  for (const { lease } of wanted) {
    const claimed = lease === 'over' ? { claim_by: 'holder' } : {};
    const task = await tools.ok('task_create', { title: 'old title', ...claimed });
    world.push({ id: task.task_id, token: task.lease_token, isHeld: false });
  }
  clock.pass(60 * MINUTE);
  for (const [i, { deps, lease }] of wanted.entries()) {
    const depends_on = [...new Set(deps.filter((on) => on < i))].map((on) => world[on]?.id);
    if (lease !== 'live' || world[i] === undefined) {
      await tools.ok('task_update', { task_id: world[i]?.id, depends_on });
      continue;
    }
    const task = await tools.ok('task_create', { title: 'old title', claim_by: 'holder', depends_on });
    world[i] = { id: task.task_id, token: task.lease_token, isHeld: true };
  }
  // From the last to the first, so that tasks get into APPLY before what they wait for ends otherwise.
  for (const i of [...wanted.keys()]) {
    const { status, noted } = wanted[i] ?? { status: 'INIT', noted: false };
    const { id, token, isHeld } = world[i] as Placed;
    const held = isHeld ? { lease_token: token } : {};
    for (const step of STEPS_TO[status]) {
      const moved = await tools.call('task_update', {
        task_id: id,
        status: step,
        ...held,
        ...(noted && { note: 'seen' }),
      });
      if (errorIn(moved) !== undefined) break;
    }
  }
  return world;
};

const argumentsOf = async (tools: TaskTools, world: readonly Placed[], wish: Wish): Promise<Answer> => {
  const { id, token } = world[wish.at] as Placed;
  const { version } = await tools.ok('task_get', { task_id: id });
  const steps = wish.steps
    .filter(({ status }, i) => status !== wish.steps[i - 1]?.status)
    .map(({ status, note }, i) => ({ status, ...(note && { note: `why ${i}` }) }));
  return {
    task_id: id,
    ...(wish.asList && steps.length > 0 ? { steps } : steps[0]),
    ...(wish.deps && { depends_on: wish.deps.map((on) => (on === 'nobody' ? 'T-888888' : world[on]?.id)) }),
    ...(wish.title && { title: wish.title }),
    ...(wish.version !== undefined && { expected_version: version + wish.version }),
    ...(wish.token && { lease_token: (token ?? 1) + (wish.token === 'right' ? 0 : 5) }),
    ...(wish.key && { idempotency_key: wish.key }),
  };
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

/** The states to enter on the shortest way; undefined if there is none. */
const way = (from: State, to: State, room = MOST_STEPS): State[] | undefined => {
  if (from === to) return [];
  if (room === 0) return undefined;
  const found = NEXT[from].flatMap((at) => {
    const rest = way(at, to, room - 1);
    return rest === undefined ? [] : [[at, ...rest]];
  });
  return found.sort((a, b) => a.length - b.length)[0];
};

const stepsIn = ({ steps, status, note }: Answer): Answer[] =>
  steps ?? (status === undefined ? [] : [{ status, note }]);
const notesIn = (args: Answer): string[] =>
  [
    ...stepsIn(args).map(({ note }) => note),
    args.steps === undefined && args.status === undefined ? args.note : undefined,
  ].filter((note) => note !== undefined);

interface Scene {
  readonly tools: TaskTools;
  readonly args: Answer;
  readonly before: ReadonlyMap<string, Answer>;
}

const look = async (tools: TaskTools, world: readonly Placed[]): Promise<Map<string, Answer>> => {
  const found = new Map<string, Answer>();
  for (const { id } of world) found.set(id, await tools.ok('task_get', { task_id: id }));
  return found;
};

const idOf = (text: string): string => `T-${String(Number(text.replace(/^T-/, ''))).padStart(4, '0')}`;

/** The dependencies of a request that are refused in any case: nobody’s, and those that wait for the task itself. */
const refusedIds = ({ args, before }: Scene): ReadonlySet<string> => {
  const waits = (id: string, seen = new Set<string>()): boolean => {
    if (id === args.task_id) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return (before.get(id)?.depends_on ?? []).some((on: string) => waits(on, seen));
  };
  const ids = (args.depends_on ?? []) as string[];
  return new Set(ids.filter((id) => !before.has(id) || waits(id)));
};

/** The dependencies that the task should have afterwards, if a request is corrected as little as possible. */
const wantedDependencies = (scene: Scene): readonly string[] => {
  const { args, before } = scene;
  const own = (before.get(args.task_id)?.depends_on ?? []) as string[];
  if (args.depends_on === undefined) return own;
  const asked = [...new Set(args.depends_on as string[])].filter((id) => !refusedIds(scene).has(id));
  // A list that stays as it is may name a cancelled task; a new one may not.
  if (asked.toSorted().join() === own.toSorted().join()) return own;
  const kept = asked.filter((id) => before.get(id)?.status !== 'CANCELLED');
  return kept.length === 0 && args.depends_on.length > 0 ? own : kept;
};

/** Whether the rules let one request for this task alone fulfil the wish. */
const isReachable = (scene: Scene): boolean => {
  const { args, before } = scene;
  let at = before.get(args.task_id)?.status as State;
  const open = wantedDependencies(scene).filter((id) => !['DONE', 'CANCELLED'].includes(before.get(id)?.status));
  let steps = 0;
  for (const { status } of stepsIn(args)) {
    const between = way(at, status);
    if (between === undefined || (between.includes('APPLY') && open.length > 0)) return false;
    steps += Math.max(1, between.length);
    at = status;
  }
  return steps <= MOST_STEPS;
};

/** An advised request keeps everything of the caller's but what was refused. */
const expectKept = (scene: Scene, advised: Answer, said: string): void => {
  const { args, before } = scene;
  expect(advised.task_id, said).toBe(args.task_id);
  for (const name of ['title', 'lease_token', 'idempotency_key']) expect(advised[name], said).toBe(args[name]);
  expect(notesIn(advised), said).toEqual(notesIn(args));
  const [wanted, reached] = [stepsIn(args).at(-1)?.status, stepsIn(advised).at(-1)?.status];
  if (!(wanted === 'DONE' && reached === 'VERIFY')) expect(reached, said).toBe(wanted);
  const kept = wantedDependencies(scene);
  const firm = kept.filter((id) => before.get(id)?.status !== 'CANCELLED');
  const own = (before.get(args.task_id)?.depends_on ?? []) as string[];
  const after = [...new Set(((advised.depends_on ?? own) as string[]).map(idOf))].toSorted().join();
  expect([kept.toSorted().join(), firm.toSorted().join()], said).toContain(after);
};

const withoutTime = ({ updated_at: _at, ...task }: Answer): Answer => task;

/** The advised calls succeed, change no other task, keep what the caller sent, and reach the wish where the rules allow it. */
const followAdvice = async (scene: Scene, world: readonly Placed[], error: Answer): Promise<boolean> => {
  const { tools, args, before } = scene;
  const next = error.details.next as readonly NextCall[];
  const said = JSON.stringify({ args, error, task: before.get(args.task_id) });
  expect(next.length, said).toBeGreaterThanOrEqual(1);
  expect(next.length, said).toBeLessThanOrEqual(MOST_CALLS);
  const updates = next.filter(({ tool }) => tool === 'task_update');
  expect(updates.length, said).toBeLessThanOrEqual(1);
  for (const { tool, arguments: given } of next) {
    if (tool === 'task_update') expectKept(scene, given, said);
    expect(errorIn(await tools.call(tool, given)), `${said} → ${tool} ${JSON.stringify(given)}`).toBeUndefined();
  }
  const after = await look(tools, world);
  for (const [id, task] of before)
    if (id !== args.task_id)
      expect(withoutTime(after.get(id) ?? {}), said).toEqual(
        withoutTime({ ...task, blocked_by: after.get(id)?.blocked_by }),
      );
  const isLeaseError = error.code.startsWith('ERR_LEASE');
  if (isLeaseError) expect(updates, said).toEqual([]);
  const { isHeld, token } = world.find(({ id }) => id === args.task_id) as Placed;
  const state = before.get(args.task_id)?.status;
  // To name the state in which the task is moves nothing, and needs no lease.
  const isMoved = updates.some(({ arguments: given }) => stepsIn(given).some(({ status }) => status !== state));
  if (isHeld && isMoved) expect(updates[0]?.arguments.lease_token, said).toBe(token);
  const asks = stepsIn(args).length > 0 || args.title !== undefined;
  if (isLeaseError || !asks || !isReachable(scene)) return false;
  const task = after.get(args.task_id) ?? {};
  const wanted = stepsIn(args).at(-1)?.status;
  if (wanted === 'DONE' && task.status !== 'DONE') {
    // The advice invents no note: without one the task does not get further.
    const last = await tools.no('task_update', {
      task_id: args.task_id,
      status: 'DONE',
      lease_token: args.lease_token,
    });
    expect(last.code, said).toBe('ERR_WRITEBACK_REQUIRED');
    expect(['VERIFY', before.get(args.task_id)?.status], said).toContain(task.status);
    return false;
  }
  if (wanted !== undefined) expect(task.status, said).toBe(wanted);
  if (args.title !== undefined) expect(task.title, said).toBe(args.title);
  return true;
};

/** Runs so many random worlds. Returns how often each code was met, and how often the wish was reached by advice. */
export const walkAdvice = async (runs: number, seed: number, progress: (done: number) => void = () => {}) => {
  const clock = handClock();
  const tools = await openTaskTools();
  const codes = new Map<string, number>();
  let [reached, done] = [0, 0];
  await fc.assert(
    fc.asyncProperty(plans, fc.array(wishes, { minLength: 4, maxLength: 4 }), async (wanted, tries) => {
      done += 1;
      progress(done);
      const world = await build(tools, clock, wanted);
      for (const wish of tries) {
        const scene = { tools, args: await argumentsOf(tools, world, wish), before: await look(tools, world) };
        const error = errorIn(await tools.call('task_update', scene.args));
        if (error === undefined) continue;
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
        expect(error.message.length).toBeLessThanOrEqual(300);
        if (await followAdvice(scene, world, error)) reached += 1;
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  return { codes, reached };
};
