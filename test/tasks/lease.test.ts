// A holder that dies, comes late, gives back, or goes on working.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import { type Answer, errorIn, handClock, MINUTE, openTaskTools, type TaskTools, taskIn } from './task-tools.js';

const claim = async (tools: Pick<TaskTools, 'ok'>, claim_by: string, rest: Answer = {}): Promise<Answer | undefined> =>
  (await tools.ok('task_next_actions', { claim_by, ...rest })).actions[0];

const listed = async (tools: TaskTools, args: Answer = {}): Promise<string[]> =>
  (await tools.ok('task_next_actions', { limit: 100, ...args })).actions.map((action: Answer) => action.task.task_id);

test('a dead holder’s task is to be had after its lease; the old token is good for nothing', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id } = await tools.ok('task_create', { title: 'left behind' });
  const dead = await claim(tools, 'dead', { lease_minutes: 1 });
  expect(await claim(tools, 'heir')).toBeUndefined();
  expect(await listed(tools)).toEqual([]);
  clock.pass(MINUTE - 1);
  expect(await claim(tools, 'heir')).toBeUndefined();
  clock.pass(1);
  expect(await listed(tools)).toEqual([task_id]);
  const late = await tools.no('task_update', { task_id, status: 'GATHER', lease_token: dead?.lease_token });
  expect(late).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: null, until: null } });

  const heir = await claim(tools, 'heir');
  expect(heir).toMatchObject({ task: { task_id, assignee: 'heir' }, lease_token: (dead?.lease_token ?? 0) + 1 });
  for (const rest of [{ status: 'GATHER' }, { title: 'mine' }, { note: 'still here' }, { release: true }, {}]) {
    const error = await tools.no('task_update', { task_id, lease_token: dead?.lease_token, ...rest });
    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: 'heir', until: heir?.lease_until } });
  }
  // Without a token: what the lease guards, and what it does not.
  for (const rest of [{ status: 'GATHER' }, { assignee: 'dead' }, { assignee: null }, { release: true }]) {
    expect((await tools.no('task_update', { task_id, ...rest })).code).toBe('ERR_LEASE_LOST');
  }
  for (const rest of [{ title: 'new' }, { status: 'INIT' }, { assignee: 'heir' }, { depends_on: [] }, { note: 'hm' }]) {
    await tools.ok('task_update', { task_id, ...rest });
  }
  await tools.ok('task_update', { task_id, status: 'GATHER', lease_token: (dead?.lease_token ?? 0) + 1 });
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('an update with the token, or a note under the holder’s name, lets the lease run anew; others do not', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id } = await tools.ok('task_create', { title: 'slow work' });
  const lease = await claim(tools, 'worker', { lease_minutes: 10 });
  const lease_token = lease?.lease_token;
  const until = async () =>
    (await tools.store.read((tx) => tx.get<{ until: string }>('SELECT until FROM leases')))?.until;
  const { version, updated_at } = lease?.task ?? {};

  clock.pass(9 * MINUTE);
  await tools.ok('task_update', { task_id, note: 'a stranger looks on' }, 'stranger');
  expect(await until()).toBe(lease?.lease_until);
  await tools.ok('task_update', { task_id, note: 'working' }, 'worker');
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  clock.pass(9 * MINUTE);
  expect(await tools.ok('task_update', { task_id, lease_token, note: 'still' })).toMatchObject({ version, updated_at });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  clock.pass(9 * MINUTE);
  await tools.ok('task_update', { task_id, lease_token });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  await tools.ok('task_update', { task_id, lease_token, release: true });
  expect(await claim(tools, 'next')).toMatchObject({ lease_token: (lease_token ?? 0) + 1 });
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('a task that ends gives its lease back; the holder finds its own tasks, others do not', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const first = await taskIn(tools, 'VERIFY', { priority: 'urgent' });
  const second = await taskIn(tools, 'INIT');
  const held = await claim(tools, 'worker');
  expect(await listed(tools, { assignee: 'worker' })).toEqual([first.task_id]);
  expect(await listed(tools)).toEqual([second.task_id]);
  await tools.ok('task_update', {
    task_id: first.task_id,
    status: 'DONE',
    note: 'done',
    lease_token: held?.lease_token,
  });
  const row = await tools.store.read((tx) => tx.get('SELECT released, flagged FROM leases'));
  expect(row).toEqual({ released: 1, flagged: 0 });
  expect(await listed(tools)).toEqual([second.task_id]);
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('more expired leases than a claim clears, most of them on tasks that are not for now', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const count = 130;
  const { task_id: blocker } = await tools.ok('task_create', { title: 'blocker', project: 'elsewhere' });
  for (let i = 0; i < count; i++) await tools.ok('task_create', { title: `t${i}`, project: i < count - 1 ? 'a' : 'b' });
  for (let i = 0; i < count - 1; i++) {
    const one = await claim(tools, 'dead', { project: 'a' });
    await tools.ok('task_update', { task_id: one?.task.task_id, lease_token: one?.lease_token, depends_on: [blocker] });
    clock.pass(1);
  }
  const last = await claim(tools, 'dead', { project: 'b' });
  clock.pass(31 * MINUTE);
  expect(await listed(tools, { project: 'b' })).toEqual([last?.task.task_id]);
  expect(await claim(tools, 'heir', { project: 'b' })).toMatchObject({ task: { task_id: last?.task.task_id } });
  const empty = await tools.ok('task_next_actions', { project: 'a', claim_by: 'heir' });
  expect(empty.reason).toMatch(/^every open task waits for others/);
  expect(empty.blocked).toHaveLength(10);
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('with 1,500 live leases a holder still finds its own, and what has expired is offered', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id: expired } = await tools.ok('task_create', { title: 'expired', assignee: 'x', priority: 'low' });
  const { task_id: own } = await tools.ok('task_create', { title: 'own', assignee: 'me', priority: 'low' });
  const crowd = Array.from({ length: 1_500 }, () => ({ title: 'other', assignee: 'crowd' }));
  await Promise.all(crowd.map((other) => tools.ok('task_create', other)));
  await Promise.all(
    Array.from({ length: 1_500 }, () => claim(tools, 'crowd', { assignee: 'crowd', lease_minutes: 60 })),
  );
  clock.pass(1_000);
  await claim(tools, 'me', { assignee: 'me', lease_minutes: 1440 });
  await claim(tools, 'x', { assignee: 'x', lease_minutes: 61 });
  expect(await listed(tools, { assignee: 'me' })).toEqual([own]);
  clock.pass(62 * MINUTE);
  // Now 1,501 have run out, the one asked for last of all.
  expect(await listed(tools, { assignee: 'x' })).toEqual([expired]);
  expect(await listed(tools, { assignee: 'me' })).toEqual([own]);
}, 30_000);

const dataOf = (answer: Answer): Answer => answer.result.structuredContent.data;

const started = async (place: ReturnType<typeof freshPlace>): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

test('over the wire: the holder is killed, its lease runs out, another process takes over', async () => {
  const place = freshPlace();
  const holder = await started(place);
  const { task_id } = dataOf(await holder.call('task_create', { title: 'left behind' }));
  const [held] = dataOf(await holder.call('task_next_actions', { claim_by: 'dead', lease_minutes: 1 })).actions;
  await holder.kill('SIGKILL');
  const heir = await started(place);
  expect(dataOf(await heir.call('task_next_actions', { claim_by: 'heir' })).actions).toEqual([]);

  // A minute is long: the end is moved to the past, which the evidence of the lease does not forgive.
  const db = new Database(place.db);
  db.prepare('UPDATE leases SET until = ?').run(new Date(Date.now() - 1).toISOString());
  db.close();
  const stale = { task_id, status: 'GATHER', lease_token: held.lease_token };
  const [taken] = dataOf(await heir.call('task_next_actions', { claim_by: 'heir' })).actions;
  expect(taken).toMatchObject({ task: { task_id, assignee: 'heir' }, lease_token: held.lease_token + 1 });
  const late = await heir.call('task_update', stale);
  expect(errorIn(late.result.structuredContent)).toMatchObject({
    code: 'ERR_LEASE_LOST',
    details: { holder: 'heir', until: taken.lease_until },
  });
  await heir.call('task_update', { ...stale, lease_token: taken.lease_token });
  await heir.end();
  // The new lease has been written since, and recorded.
  expect(checkSubjects(place.db)).toEqual([]);
});

test('a token opens its own task alone, and a holder that lost it finds it again', async () => {
  handClock();
  const tools = await openTaskTools();
  await taskIn(tools, 'INIT');
  await taskIn(tools, 'INIT');
  const [ada, bob] = [await claim(tools, 'ada'), await claim(tools, 'bob')];
  const slip = { task_id: ada?.task.task_id, lease_token: bob?.lease_token, status: 'GATHER' };
  expect((await tools.no('task_update', slip)).code).toBe('ERR_LEASE_LOST');

  const { actions } = await tools.ok('task_next_actions', { assignee: 'ada' });
  expect(actions).toMatchObject([{ lease_token: ada?.lease_token, lease_until: ada?.lease_until }]);
  expect((await tools.ok('task_next_actions', { assignee: 'bob' })).actions[0].lease_token).toBe(bob?.lease_token);
});
