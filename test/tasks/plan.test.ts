// A whole plan in one call of task_create: all of it or nothing, and once.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { type Answer, errorIn, openTaskTools, type TaskTools, taskIn } from './task-tools.js';

const lastExit = (tools: TaskTools): Answer => new Ledger(tools.path).ofKind('call.exit').at(-1) ?? {};
const countTasks = async (tools: TaskTools): Promise<number> =>
  (await tools.store.read((tx) => tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM tasks')))?.n ?? -1;

test('six tasks with dependencies are one call and one record; the queue and the evidence agree', async () => {
  const tools = await openTaskTools();
  const old = await taskIn(tools, 'INIT');
  const plan = [
    { ref: 'ship', title: 'ship it', depends_on: ['#test', '#doc'] },
    { ref: 'test', title: 'test it', depends_on: ['#build'], priority: 'high' },
    { ref: '#build', title: 'build it', assignee: 'ada' },
    { ref: 'doc', title: 'write it down', description: 'all of it', depends_on: ['#build', old.task_id] },
    { title: 'look at it', depends_on: ['t-1'] },
    { title: 'free' },
  ];
  const { tasks } = await tools.ok('task_create', { tasks: plan, idempotency_key: 'plan' });
  expect(tasks).toEqual(
    ['ship', 'test', 'build', 'doc', undefined, undefined].map((ref, i) => ({
      ...(ref && { ref }),
      ...{ task_id: `T-000${i + 2}`, status: 'INIT', version: 1 },
    })),
  );
  const record = lastExit(tools);
  expect(record.subjects.map(({ type, id, rev }: Answer) => `${type} ${id} ${rev}`)).toEqual(
    tasks.map(({ task_id }: Answer) => `task ${task_id} 1`),
  );
  const whole = await tools.ok('task_get', { task_id: 'T-5' });
  expect(whole).toMatchObject({ description: 'all of it', depends_on: ['T-0001', 'T-0004'], priority: 'normal' });
  expect((await tools.ok('task_get', { task_id: 'T-2' })).blocked_by).toEqual(['T-0003', 'T-0005']);
  const { actions } = await tools.ok('task_next_actions', {});
  expect(actions.map(({ task }: Answer) => task.task_id)).toEqual(['T-0001', 'T-0004', 'T-0007']);
  expect(checkSubjects(tools.path)).toEqual([]);

  await tools.ok('task_update', { task_id: 'T-4', steps: [{ status: 'GATHER' }] });
  const again = await tools.ok('task_create', { tasks: plan, idempotency_key: 'plan' });
  expect(again.replayed).toBe(true);
  expect(again.tasks.map(({ task_id }: Answer) => task_id)).toEqual(tasks.map(({ task_id }: Answer) => task_id));
  expect(again.tasks[2]).toEqual({ ref: 'build', task_id: 'T-0004', status: 'GATHER', version: 2 });
  expect(lastExit(tools)).toMatchObject({ replay_of: record.sequence_no });
  expect(lastExit(tools)).not.toHaveProperty('subjects');
  const other = { tasks: plan.toReversed(), idempotency_key: 'plan' };
  expect(await tools.no('task_create', other)).toMatchObject({ code: 'ERR_IDEMPOTENCY_MISMATCH' });
  expect(await tools.no('task_create', { title: 'one', idempotency_key: 'plan' })).toMatchObject({
    details: { task_id: 'T-0002' },
  });
  expect(await countTasks(tools)).toBe(7);
});

test('a plan that cannot be made leaves nothing, and the advice makes it', async () => {
  const tools = await openTaskTools();
  const gone = await taskIn(tools, 'CANCELLED');
  const a = { ref: 'a', title: 'a' };
  const cases: [Answer[], string, Answer][] = [
    [[a, { title: 'b', depends_on: ['#aa'] }], 'ERR_NOT_FOUND', { missing: ['#aa'] }],
    [[a, { title: 'b', depends_on: ['#nowhere'] }], 'ERR_NOT_FOUND', { missing: ['#nowhere'] }],
    [[{ ...a, depends_on: ['#a'] }], 'ERR_DEPENDENCY_CYCLE', { path: ['#a', '#a'] }],
    [
      [
        { ...a, depends_on: ['#b'] },
        { ref: 'b', title: 'b', depends_on: ['#a', 'T-1'] },
      ],
      'ERR_DEPENDENCY_CYCLE',
      { path: ['#a', '#b', '#a'] },
    ],
    [[a, { title: 'b', depends_on: ['#a', 't-1'] }], 'ERR_DEPENDENCY_CANCELLED', { cancelled: [gone.task_id] }],
    [[a, { title: 'b', depends_on: ['#a', 'T-999'] }], 'ERR_NOT_FOUND', { missing: ['T-0999'] }],
  ];
  for (const [tasks, code, details] of cases) {
    const before = await countTasks(tools);
    const error = await tools.no('task_create', { tasks });
    expect(error).toMatchObject({ code, details });
    expect(await countTasks(tools)).toBe(before);
    const [next] = error.details.next;
    if (next.tool !== 'task_create') continue;
    expect(next.arguments.tasks.map(({ title }: Answer) => title)).toEqual(tasks.map(({ title }) => title));
    let answer = await tools.call(next.tool, next.arguments);
    // A second mistake is corrected by a second advice.
    for (let more = errorIn(answer); more !== undefined; more = errorIn(answer))
      answer = await tools.call('task_create', more.details.next[0].arguments);
    expect(await countTasks(tools)).toBe(before + tasks.length);
  }
  const single = await tools.no('task_create', { title: 'x', depends_on: [gone.task_id], priority: 'low' });
  expect(single.details.next).toEqual([{ tool: 'task_create', arguments: { title: 'x', priority: 'low' } }]);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('what cannot stand together is said', async () => {
  const tools = await openTaskTools();
  const tasks = [{ ref: 'a', title: 'a' }, { title: 'b' }];
  for (const [args, word] of [
    [{ tasks, title: 'x' }, 'title'],
    [{ tasks, depends_on: [] }, 'depends_on'],
    [{ tasks, claim_by: 'ada' }, 'claim_by'],
    [{ tasks: [] }, 'tasks'],
    [{ tasks: [...tasks, { ref: '#a', title: 'c' }] }, 'ref'],
    [{ tasks: [{ ref: 'a' }] }, 'title'],
    [{ tasks: [{ title: 'a', ref: ' ' }] }, 'ref'],
    [{ tasks: [{ title: 'a', depends_on: ['a'] }] }, 'depends_on'],
    [{ tasks: [{ title: 'a', status: 'DONE' }] }, 'status'],
    [{ tasks: Array(51).fill({ title: 'a' }) }, 'tasks'],
    [{ title: 'a', claim_by: 'ada', assignee: 'bob' }, 'claim_by'],
    [{}, 'title'],
  ] as [Answer, string][]) {
    const error = await tools.no('task_create', args);
    expect(error.code).toBe('INVALID_PARAMS');
    expect(error.message).toContain(word);
  }
  expect(await countTasks(tools)).toBe(0);
});

test('created and claimed in one call, also again, and never by somebody else', async () => {
  const tools = await openTaskTools();
  const args = { title: 'mine', claim_by: 'ada', idempotency_key: 'k' };
  const made = await tools.ok('task_create', args);
  expect(made).toMatchObject({ task_id: 'T-0001', status: 'INIT', lease_token: expect.any(Number) });
  expect(lastExit(tools).subjects.map(({ type }: Answer) => type)).toEqual(['task', 'lease']);
  const again = await tools.ok('task_create', args);
  expect(again).toMatchObject({ replayed: true, lease_token: made.lease_token });
  expect((await tools.ok('task_create', { ...args, claim_by: 'bob' })).lease_token).toBeUndefined();
  const steps = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'].map((status) => ({ status, note: status }));
  const done = await tools.ok('task_update', { task_id: 'T-1', steps, lease_token: made.lease_token });
  expect(done).toMatchObject({ status: 'DONE', version: 2, next_states: [] });
  expect((await tools.ok('task_create', args)).lease_token).toBeUndefined();
  const one = await tools.ok('task_create', { tasks: [{ title: 'listed' }], claim_by: 'ada' });
  expect(one).toMatchObject({ tasks: [{ task_id: 'T-0002' }], lease_token: expect.any(Number) });
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('fifty tasks at the size limits are made, and answered in a few bytes', async () => {
  const tools = await openTaskTools();
  const bird = '🐦';
  const name = bird.repeat(128);
  const tasks = Array.from({ length: 50 }, (_, i) => ({
    ref: `${i}`.padStart(64, '0'),
    title: bird.repeat(256),
    description: 'd'.repeat(16_384),
    project: name,
    assignee: name,
    depends_on: Array.from({ length: i }, (_, on) => `#${`${on}`.padStart(64, '0')}`),
  }));
  const answer = await tools.call('task_create', { tasks, idempotency_key: name });
  expect(answer.data.tasks).toHaveLength(50);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(24 * 1024);
  expect((await tools.ok('task_get', { task_id: 'T-50' })).depends_on).toHaveLength(49);
  const ring = [{ ...tasks[0], depends_on: [`#${tasks[49]?.ref}`] }, ...tasks.slice(1)];
  const error = await tools.no('task_create', { tasks: ring });
  expect(error.message.length).toBeLessThanOrEqual(300);
  expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThan(24 * 1024);
  expect(await countTasks(tools)).toBe(50);
  expect(checkSubjects(tools.path)).toEqual([]);
});
