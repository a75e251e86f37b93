// Who gets which task: the assignee, the holder, two processes of one name, a lost memory, a task given back.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { temporaryFolder } from '../support/stores.js';
import { claim } from './lease.shared.js';
import { type Answer, errorIn, handClock, MINUTE, openTaskTools, taskIn } from './task-tools.js';

const idOf = (action: Answer | undefined): string | undefined => action?.task.task_id;

const create = async (tools: Pick<Awaited<ReturnType<typeof openTaskTools>>, 'ok'>, ...given: Answer[]) => {
  for (const one of given) await tools.ok('task_create', { title: 'work', ...one });
};

/** Two processes on one store. */
const twoProcesses = async () => {
  const dir = temporaryFolder();
  return [await openTaskTools({ dir }), await openTaskTools({ dir })] as const;
};

test('a claim leaves the assignee alone, shows who works on the task, and takes nothing that is assigned to others', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, { assignee: 'bob', priority: 'urgent' }, { assignee: 'ada', priority: 'low' }, {});
  const first = await claim(tools, 'ada');
  expect(first).toMatchObject({ task: { task_id: 'T-0003', assignee: null, lease: { holder: 'ada' } } });
  expect(await claim(tools, 'ada', { another: true })).toMatchObject({ task: { task_id: 'T-0002', assignee: 'ada' } });
  const { lease, version } = await tools.ok('task_get', { task_id: 'T-0003' });
  expect([lease, version]).toEqual([{ holder: 'ada', until: first?.lease_until }, 1]);
  const { tasks } = await tools.ok('task_list', {});
  expect(tasks.map((task: Answer) => task.lease?.holder ?? null)).toEqual([null, 'ada', 'ada']);

  const none = await tools.ok('task_next_actions', { claim_by: 'ada', another: true });
  expect(none.actions).toEqual([]);
  expect(none.reason).toMatch(/^the tasks that are free are assigned to others: T-0001 \(bob\); the others are leased/);
  expect(none.also_held.map((one: Answer) => one.task_id)).toEqual(['T-0003', 'T-0002']);
  expect(idOf(await claim(tools, 'bob'))).toBe('T-0001');
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('a task that somebody else should do or does is refused by name, with the call that changes that', async () => {
  handClock();
  const tools = await openTaskTools();
  await create(tools, { assignee: 'bob' }, {});
  const assigned = await tools.no('task_next_actions', { claim_by: 'ada', task_id: 'T-0001' });
  expect(assigned).toMatchObject({ code: 'ERR_ASSIGNED', details: { assignee: 'bob' } });
  // Who follows the advice takes another task; the call that changes the assignee stands beside it.
  const [elsewhere] = assigned.details.next;
  expect(elsewhere).toEqual({ tool: 'task_next_actions', arguments: { claim_by: 'ada' } });
  const { reassign } = assigned.details;
  await tools.ok(reassign.tool, reassign.arguments);
  await tools.ok('task_next_actions', { claim_by: 'ada', task_id: 'T-0001' });
  expect(await tools.ok('task_get', { task_id: 'T-0001' })).toMatchObject({
    assignee: 'ada',
    lease: { holder: 'ada' },
  });

  const leased = await tools.no('task_next_actions', { claim_by: 'bob', task_id: 'T-0001' });
  expect(leased).toMatchObject({ code: 'ERR_LEASED', details: { holder: 'ada' } });
  const [next] = leased.details.next;
  expect(idOf((await tools.ok(next.tool, next.arguments)).actions[0])).toBe('T-0002');
  // take_over moves leases of the claimer's own name alone.
  const over = { claim_by: 'bob', task_id: 'T-0001', take_over: true };
  expect((await tools.no('task_next_actions', over)).code).toBe('ERR_LEASED');
  expect((await tools.no('task_next_actions', { claim_by: 'bob', task_id: 'T-0009' })).code).toBe('ERR_NOT_FOUND');
});

test.each([{ task_id: 'T-0001' }, { another: true }, { take_over: true }, { claim_by: 'ada', take_over: true }])(
  'arguments that mean nothing together are refused: %j',
  async (args) => {
    const tools = await openTaskTools();
    expect(errorIn(await tools.call('task_next_actions', args))?.code).toBe('INVALID_PARAMS');
  },
);

test('after a loss of context the same call gives the same task and token, extended', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, {}, { priority: 'high' });
  const first = await claim(tools, 'ada', { lease_minutes: 20 });
  expect(first?.resumed).toBeUndefined();
  await create(tools, { priority: 'urgent' });
  clock.pass(15 * MINUTE);
  const again = await claim(tools, 'ada');
  expect(again).toMatchObject({ task: { task_id: 'T-0002' }, lease_token: first?.lease_token, resumed: true });
  expect(again?.lease_until).toBe(new Date(Date.parse(clock.now()) + 30 * MINUTE).toISOString());
  // One more, if it is asked for; then the most urgent of both is resumed.
  const more = await tools.ok('task_next_actions', { claim_by: 'ada', another: true });
  expect(idOf(more.actions[0])).toBe('T-0003');
  expect(more.also_held).toEqual([{ task_id: 'T-0002', until: again?.lease_until }]);
  expect(await claim(tools, 'ada')).toMatchObject({ task: { task_id: 'T-0003' }, resumed: true });
  const named = await tools.ok('task_next_actions', { claim_by: 'ada', task_id: 'T-0001' });
  expect(idOf(named.actions[0])).toBe('T-0001');
  expect(named.also_held.map((one: Answer) => one.task_id)).toEqual(['T-0003', 'T-0002']);
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('two living processes of one name get two tasks; take_over moves one, with a new token', async () => {
  const clock = handClock();
  const [one, two] = await twoProcesses();
  await create(one, {}, {});
  const first = await claim(one, 'ada');
  const second = await two.ok('task_next_actions', { claim_by: 'ada' });
  expect(second.actions[0]).toMatchObject({ task: { task_id: 'T-0002' } });
  expect(second.actions[0].resumed).toBeUndefined();
  expect(second.also_held).toEqual([{ task_id: 'T-0001', until: first?.lease_until }]);
  const refused = await two.no('task_next_actions', { claim_by: 'ada', task_id: 'T-0001' });
  expect(refused).toMatchObject({ code: 'ERR_LEASED', details: { holder: 'ada', until: first?.lease_until } });
  // What takes a task away from a running process is not among the calls that simply work.
  expect(refused.details.next).toEqual([{ tool: 'task_next_actions', arguments: { claim_by: 'ada' } }]);
  const { take_over } = refused.details;
  const moved = (await two.ok(take_over.tool, take_over.arguments)).actions[0];
  expect(moved).toMatchObject({ task: { task_id: 'T-0001' }, resumed: true });
  expect(moved.lease_token).toBeGreaterThan(first?.lease_token);
  const late = { task_id: 'T-0001', status: 'GATHER', lease_token: first?.lease_token };
  expect((await one.no('task_update', late)).code).toBe('ERR_LEASE_LOST');
  await two.ok('task_update', { ...late, lease_token: moved.lease_token });
  // Both are the other's now: the first process gets nothing, and learns where its tasks are.
  const none = await one.ok('task_next_actions', { claim_by: 'ada' });
  expect([none.actions, none.also_held.length]).toEqual([[], 2]);
  expect(checkSubjects(one.path, clock.now())).toEqual([]);
});

test('the lease of a dead process is resumed with a new token, and its old token opens nothing', async () => {
  const clock = handClock();
  const dir = temporaryFolder();
  const dead = await openTaskTools({ dir });
  await create(dead, {});
  const first = await claim(dead, 'ada');
  await dead.store.close();
  const tools = await openTaskTools({ dir });
  expect((await tools.no('task_next_actions', { claim_by: 'bob', task_id: 'T-0001' })).code).toBe('ERR_LEASED');
  const again = await claim(tools, 'ada');
  expect(again).toMatchObject({ task: { task_id: 'T-0001' }, resumed: true, previous_holder: null });
  expect(again?.lease_token).toBeGreaterThan(first?.lease_token);
  const late = { task_id: 'T-0001', status: 'GATHER', lease_token: first?.lease_token };
  expect((await tools.no('task_update', late)).code).toBe('ERR_LEASE_LOST');
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('a lease that ran out is renewed by its token, unless somebody took or changed the task', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, {});
  const { lease_token } = (await claim(tools, 'ada', { lease_minutes: 1 })) ?? {};
  const task_id = 'T-0001';
  clock.pass(MINUTE);
  // A claim of somebody else for another project finds the lease run out, and takes nothing.
  expect(await claim(tools, 'bob', { project: 'elsewhere' })).toBeUndefined();
  const renewed = await tools.ok('task_update', { task_id, status: 'GATHER', lease_token });
  expect(renewed.lease_until).toBe(new Date(Date.parse(clock.now()) + MINUTE).toISOString());
  expect(await claim(tools, 'bob')).toBeUndefined();
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);

  clock.pass(MINUTE);
  const { until } = (await tools.store.read((tx) => tx.get<{ until: string }>('SELECT until FROM leases'))) ?? {};
  await tools.ok('task_update', { task_id, title: 'something else' });
  const lost = await tools.no('task_update', { task_id, status: 'ANALYZE', lease_token });
  expect(lost).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: null, until } });
  const bob = await claim(tools, 'bob');
  expect(bob).toMatchObject({ task: { task_id }, previous_holder: 'ada' });
  const taken = await tools.no('task_update', { task_id, note: 'me again', lease_token });
  expect(taken).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: 'bob', until: bob?.lease_until } });
  await tools.ok('task_update', { task_id, lease_token: bob?.lease_token, release: true });
  const over = await tools.no('task_update', { task_id, lease_token: bob?.lease_token });
  expect(over).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: null, until: clock.now() } });
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('without a token, what the holder alone may change is refused with its own code', async () => {
  handClock();
  const tools = await openTaskTools();
  await create(tools, {});
  const held = await claim(tools, 'ada');
  const refused = await tools.no('task_update', { task_id: 'T-0001', status: 'GATHER' });
  expect(refused).toMatchObject({ code: 'ERR_LEASE_REQUIRED', details: { holder: 'ada', until: held?.lease_until } });
});

test('a task that was given back comes last of its priority, for whoever gave it back, for ten minutes', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, { priority: 'high' }, { priority: 'high' }, { priority: 'low' });
  const giveBack = async (held: Answer | undefined) =>
    tools.ok('task_update', { task_id: idOf(held), lease_token: held?.lease_token, release: true });
  const first = await claim(tools, 'ada');
  expect(idOf(first)).toBe('T-0001');
  await giveBack(first);
  const second = await claim(tools, 'ada');
  expect(idOf(second)).toBe('T-0002');
  expect(idOf(await claim(tools, 'bob'))).toBe('T-0001');
  await giveBack(await claim(tools, 'bob'));
  await giveBack(second);
  // Both of that priority were given back: still before the low one.
  expect(idOf(await claim(tools, 'bob'))).toBe('T-0002');
  const third = await claim(tools, 'ada');
  expect(idOf(third)).toBe('T-0001');
  await giveBack(third);
  expect(idOf(await claim(tools, 'ada'))).toBe('T-0001');
  await giveBack(await claim(tools, 'ada'));
  await giveBack(await claim(tools, 'bob'));
  clock.pass(10 * MINUTE);
  expect(idOf(await claim(tools, 'ada'))).toBe('T-0001');
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('when nothing is free, tasks are named whose assignee was silent for a day, with the call that frees one', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, { assignee: 'gone' }, { assignee: 'busy' }, { assignee: 'busy', priority: 'low' });
  clock.pass(23 * 60 * MINUTE);
  await claim(tools, 'busy', { lease_minutes: 120 });
  expect((await tools.ok('task_next_actions', { claim_by: 'ada' })).reason).not.toContain('silent');
  clock.pass(60 * MINUTE);
  const { actions, reason } = await tools.ok('task_next_actions', { claim_by: 'ada' });
  expect(actions).toEqual([]);
  expect(reason).toMatch(/these assignees were silent for a day: T-0001 \(gone\)\. task_update \{.*\} frees the first/);
  const call = /task_update (\{.*?\})/.exec(reason)?.[1] ?? '{}';
  await tools.ok('task_update', JSON.parse(call));
  expect(idOf(await claim(tools, 'ada'))).toBe('T-0001');
});

test('a claim answers with what is needed to start, in 6 KB', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await taskIn(tools, 'DONE', { title: 'before' });
  const long = 'Ein „Satz“ mit Ümläuten. '.repeat(40);
  await tools.ok('task_update', { task_id: 'T-0001', note: `decided: ${long}` });
  await create(tools, { depends_on: ['T-0001'], description: 'do this' });
  const early = await claim(tools, 'ada');
  expect(early).toMatchObject({ description: 'do this', notes: [], previous_holder: null });
  expect(early?.description_cut).toBeUndefined();
  const { lease_token } = early ?? {};
  for (const note of ['one', 'two', 'three', long]) {
    await tools.ok('task_update', { task_id: 'T-0002', lease_token, note });
    clock.pass(5);
  }
  const description = 'ä"\n'.repeat(2_500);
  await tools.ok('task_update', { task_id: 'T-0002', lease_token, release: true, description });
  const { data } = await tools.call('task_next_actions', { claim_by: 'bob' });
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(6 * 1024);
  const [late] = data.actions;
  expect(late).toMatchObject({ previous_holder: 'ada', description_cut: true });
  expect(late.notes.map(({ agent, text }: Answer) => [agent, text.slice(0, 5)])).toEqual([
    ['ada', 'two'],
    ['ada', 'three'],
    ['ada', long.slice(0, 5)],
  ]);
  expect(late.notes[2].text).toHaveLength(280);
  // Whoever takes over can read the rest of a note that was cut.
  expect(late.notes.map(({ thought_id }: Answer) => thought_id !== undefined)).toEqual([false, false, true]);
  const content = 'SELECT content FROM thoughts WHERE thought_id = ?';
  expect(await tools.store.read((tx) => tx.get(content, late.notes[2].thought_id))).toEqual({ content: long });
  expect(late.description.length).toBeGreaterThan(500);
  expect(description.startsWith(late.description.slice(0, -1))).toBe(true);
  expect(late.dependencies).toMatchObject([{ task_id: 'T-0001', status: 'DONE' }]);
  expect(late.dependencies[0].note).toMatch(/^decided: Ein „Satz“/);
});

test('the answer to a claim stays within 6 KB with the longest names and a hundred dependencies', async () => {
  handClock();
  const tools = await openTaskTools();
  const long = '蜂'.repeat(128);
  for (let i = 0; i < 100; i++) await taskIn(tools, 'INIT');
  for (let i = 1; i <= 100; i++) await tools.ok('task_update', { task_id: `T-${i}`, note: long.repeat(4) });
  const depends_on = Array.from({ length: 100 }, (_, i) => `T-${i + 1}`);
  const given = { title: long + long, project: long, assignee: long, description: long.repeat(20), depends_on };
  await tools.ok('task_create', given);
  for (const note of ['a', 'b', 'c']) await tools.ok('task_update', { task_id: 'T-101', note: note + long.repeat(4) });
  const { data } = await tools.call('task_next_actions', { claim_by: long, task_id: 'T-101' });
  expect(data.actions[0].task.task_id).toBe('T-0101');
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(6 * 1024);
});

test('a token is given to the holder alone: not to whoever lists, and it stays out of the ledger', async () => {
  handClock();
  const tools = await openTaskTools();
  await create(tools, {});
  const { lease_token } = (await claim(tools, 'ada')) ?? {};
  await tools.ok('task_update', { task_id: 'T-0001', status: 'GATHER', lease_token });
  const seen = [
    await tools.call('task_next_actions', { assignee: 'ada' }),
    await tools.call('task_next_actions', {}),
    await tools.call('task_list', {}),
    await tools.call('task_get', { task_id: 'T-0001' }),
    await tools.call('task_update', { task_id: 'T-0001', status: 'ANALYZE' }),
    await tools.call('task_next_actions', { claim_by: 'bob', task_id: 'T-0001' }),
  ];
  expect(seen[0]?.data.actions[0].task).toMatchObject({ task_id: 'T-0001', lease: { holder: 'ada' } });
  expect(JSON.stringify(seen)).not.toContain(String(lease_token));
  const db = new Database(tools.path, { readonly: true });
  const records = [...db.prepare('SELECT body FROM actions').all(), ...db.prepare('SELECT json FROM payloads').all()];
  db.close();
  expect(records.length).toBeGreaterThan(4);
  expect(JSON.stringify(records)).not.toContain(String(lease_token));
});

test('what was decided in a dependency is its last note before the end; that there are older notes is said', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'VERIFY');
  await create(tools, { depends_on: [task_id] });
  for (const note of ['one', 'two', 'three']) await tools.ok('task_update', { task_id, note });
  const held = await claim(tools, 'ada', { task_id });
  expect(held).toMatchObject({ notes: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] });
  expect(held).not.toHaveProperty('notes_cut');
  await tools.ok('task_update', { task_id, lease_token: held?.lease_token, note: 'four' });
  expect(await claim(tools, 'ada', { task_id })).toMatchObject({ notes_cut: true });
  await tools.ok('task_update', { task_id, lease_token: held?.lease_token, status: 'DONE', note: 'the decision' });
  clock.pass(MINUTE);
  await tools.ok('task_update', { task_id, note: 'an afterthought' });
  expect(await claim(tools, 'bob')).toMatchObject({ dependencies: [{ task_id, note: 'the decision' }] });
});

test('a token that opens nothing: the refusal says why, and what to do', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await create(tools, {}, {});
  const [ada, bob] = [await claim(tools, 'ada'), await claim(tools, 'bob')];
  const update = (task_id: string, lease_token: number | undefined) =>
    tools.no('task_update', { task_id, lease_token, status: 'GATHER' });
  expect((await update('T-0001', bob?.lease_token)).message).toMatch(/^ada holds T-0001 until .*take another task\.$/);
  await tools.ok('task_update', { task_id: 'T-0002', lease_token: bob?.lease_token, release: true });
  expect((await update('T-0002', ada?.lease_token)).message).toMatch(/^This token does not belong to T-0002/);
  expect((await update('T-0002', bob?.lease_token)).message).toMatch(/^The lease of this token is over/);
  await tools.ok('task_update', { task_id: 'T-0001', lease_token: ada?.lease_token, status: 'CANCELLED' });
  clock.pass(MINUTE);
  expect((await update('T-0001', ada?.lease_token)).message).toMatch(/^T-0001 has ended/);
});
