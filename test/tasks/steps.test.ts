// Several transitions in one call of task_update: one revision, all or none, and verify follows them.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { type Answer, handClock, MINUTE, openTaskTools, type TaskTools, taskIn } from './task-tools.js';

const lastExit = (tools: TaskTools): Answer => new Ledger(tools.path).ofKind('call.exit').at(-1) ?? {};
const WAY = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'];
const noted = (states: readonly string[]) => states.map((status) => ({ status, note: `why ${status}` }));
const thoughtsOf = (tools: TaskTools): Promise<Answer[]> =>
  tools.store.read((tx) => tx.all('SELECT type, content, attempt FROM thoughts ORDER BY rowid'));

test('a whole task in one call: one revision, six changes with their reasons, a sealed session', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'INIT');
  const waiting = await tools.ok('task_create', { title: 'waits', depends_on: [task_id] });
  const done = await tools.ok('task_update', { task_id, title: 'better', steps: noted(WAY) }, 'ada');
  expect(done).toEqual({
    ...{ task_id, status: 'DONE', version: 2, attempt: 1, next_states: [], unblocked: [waiting.task_id] },
    session_id: expect.any(String),
  });
  const record = new Ledger(tools.path).ofKind('call.exit').findLast(({ changes }) => changes !== undefined);
  expect(record?.changes.map(({ from, to, version, attempt }: Answer) => [from, to, version, attempt])).toEqual(
    WAY.map((to, i) => [i === 0 ? 'INIT' : WAY[i - 1], to, 2, 1]),
  );
  const because = record?.changes.map((change: Answer) => change.because);
  expect(new Set(because).size).toBe(6);
  expect(record).toMatchObject({ done: [], attempt: 1 });
  expect(record?.changes.at(-1)?.thought).toBe(because?.at(-1));
  const types = ['analysis', 'analysis', 'plan', 'decision', 'reflection', 'reflection'];
  expect(await thoughtsOf(tools)).toEqual(
    WAY.map((state, i) => ({ type: types[i], content: `why ${state}`, attempt: 1 })),
  );
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('a retry in the middle: notes belong to the attempt before their step, and DONE wants one of the new attempt', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'APPLY');
  const bare = ['ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'].map((status) => ({ status }));
  const back = [
    { status: 'VERIFY', note: 'red' },
    { status: 'GATHER', note: 'again' },
  ];
  const refused = await tools.no('task_update', { task_id, steps: [...back, ...bare] });
  expect(refused).toMatchObject({ code: 'ERR_WRITEBACK_REQUIRED', details: { step: 7 } });
  expect(await thoughtsOf(tools)).toEqual([]);
  const [advised] = refused.details.next;
  // Everything but DONE, whose note only the caller can write.
  expect(advised.arguments.steps).toEqual([...back, ...bare.slice(0, -1)]);
  const again = await tools.ok('task_update', {
    ...{ task_id, steps: [...back, { status: 'ANALYZE', note: 'seen' }, ...bare.slice(1)] },
  });
  expect(again).toMatchObject({ status: 'DONE', attempt: 2, version: 6 });
  expect((await thoughtsOf(tools)).map(({ content, attempt }) => [content, attempt])).toEqual([
    ...[
      ['red', 1],
      ['again', 1],
      ['seen', 2],
    ],
  ]);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('one step that is refused refuses all, and says which', async () => {
  const tools = await openTaskTools();
  const blocker = await taskIn(tools, 'INIT');
  const { task_id } = await taskIn(tools, 'PLAN', { depends_on: [blocker.task_id] });
  const before = await tools.ok('task_get', { task_id });
  for (const [steps, code, step] of [
    [noted(['APPLY', 'VERIFY']), 'ERR_BLOCKED', 1],
    [noted(['CANCELLED', 'GATHER']), 'ERR_INVALID_TRANSITION', 2],
    [noted(['PLAN', 'VERIFY']), 'ERR_INVALID_TRANSITION', 2],
  ] as const) {
    const error = await tools.no('task_update', { task_id, steps });
    expect(error).toMatchObject({ code, details: { step } });
    expect(error.message).toContain(`Step ${step}:`);
    expect(await tools.ok('task_get', { task_id })).toEqual(before);
  }
  for (const [args, word] of [
    [{ steps: noted(['APPLY']), status: 'APPLY' }, 'status'],
    [{ steps: noted(['APPLY']), note: 'x' }, 'note'],
    [{ steps: noted(['PLAN', 'PLAN']) }, 'steps'],
    [{ steps: [] }, 'steps'],
    [{ steps: Array.from({ length: 9 }, (_, i) => ({ status: i % 2 ? 'APPLY' : 'PLAN' })) }, 'steps'],
    [{ steps: [{ note: 'x' }] }, 'status'],
    [{ steps: [{ status: 'APPLY', notes: 'x' }] }, 'note'],
  ] as [Answer, string][]) {
    const error = await tools.no('task_update', { task_id, ...args });
    expect(error.code).toBe('INVALID_PARAMS');
    expect(error.message).toContain(word);
  }
  expect(await thoughtsOf(tools)).toEqual([]);
});

test('cancelling names whom it strands; a cancelled dependency is refused, but one that is there already may stay', async () => {
  const tools = await openTaskTools();
  const base = await taskIn(tools, 'INIT');
  const depends_on = [base.task_id];
  const [one, two] = [await taskIn(tools, 'PLAN', { depends_on }), await taskIn(tools, 'INIT', { depends_on })];
  await taskIn(tools, 'CANCELLED', { depends_on });
  const cancelled = await tools.ok('task_update', { task_id: base.task_id, status: 'CANCELLED', note: 'no' });
  expect(cancelled.strands).toEqual([one.task_id, two.task_id]);
  const { blocked: stuck } = await tools.ok('task_next_actions', {});
  expect(stuck).toEqual(
    [one, two].map(({ task_id }) => ({
      ...{ task_id, waits_for: depends_on, cancelled: depends_on },
      next: { tool: 'task_update', arguments: { task_id, depends_on: [] } },
    })),
  );
  await tools.ok(stuck[1].next.tool, stuck[1].next.arguments);
  const { actions } = await tools.ok('task_next_actions', {});
  expect(actions.map(({ task }: Answer) => task.task_id)).toEqual([two.task_id]);
  await tools.ok('task_update', { task_id: one.task_id, title: 'same list', depends_on });
  const more = await taskIn(tools, 'INIT');
  const wider = { task_id: one.task_id, depends_on: [...depends_on, more.task_id] };
  const error = await tools.no('task_update', wider);
  expect(error).toMatchObject({ code: 'ERR_DEPENDENCY_CANCELLED', details: { cancelled: depends_on } });
  expect(error.details.next).toEqual([
    { tool: 'task_update', arguments: { task_id: one.task_id, depends_on: [more.task_id] } },
  ]);
  const blocked = await tools.no('task_update', { task_id: one.task_id, status: 'APPLY', note: 'go' });
  expect(blocked.details.next).toEqual([
    { tool: 'task_update', arguments: { task_id: one.task_id, status: 'APPLY', note: 'go', depends_on: [] } },
  ]);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('steps extend and give back a lease as single updates do', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id, lease_token } = await tools.ok('task_create', { title: 'held', claim_by: 'ada' });
  expect((await tools.no('task_update', { task_id, steps: noted(['GATHER']) })).code).toBe('ERR_LEASE_REQUIRED');
  clock.pass(20 * MINUTE);
  const moved = await tools.ok('task_update', { task_id, lease_token, steps: noted(['GATHER', 'ANALYZE']) });
  expect(moved.lease_until).toBe(new Date(Date.now() + 30 * MINUTE).toISOString());
  const done = await tools.ok('task_update', { task_id, lease_token, steps: noted(WAY.slice(2)) });
  expect(done).toMatchObject({ status: 'DONE', version: 3 });
  expect(done).not.toHaveProperty('lease_until');
  expect(lastExit(tools).subjects).toContainEqual(expect.objectContaining({ type: 'lease', rev: 3 }));
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});
