// A holder that dies, comes late, gives back, or goes on working.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { freshPlace, type Peer, serve } from '../process.js';
import { type Answer, type Desk, errorIn, handClock, MINUTE, openDesk, taskIn } from './desk.js';
import { checkSubjects } from './subjects.js';

const claim = async (desk: Pick<Desk, 'ok'>, claim_by: string, rest: Answer = {}): Promise<Answer | undefined> =>
  (await desk.ok('task_next_actions', { claim_by, ...rest })).actions[0];

const listed = async (desk: Desk, args: Answer = {}): Promise<string[]> =>
  (await desk.ok('task_next_actions', { limit: 100, ...args })).actions.map((action: Answer) => action.task.task_id);

test('a dead holder’s task is to be had after its lease; the old token is good for nothing', async () => {
  const clock = handClock();
  const desk = await openDesk();
  const { task_id } = await desk.ok('task_create', { title: 'left behind' });
  const dead = await claim(desk, 'dead', { lease_minutes: 1 });
  expect(await claim(desk, 'heir')).toBeUndefined();
  expect(await listed(desk)).toEqual([]);
  clock.pass(MINUTE - 1);
  expect(await claim(desk, 'heir')).toBeUndefined();
  clock.pass(1);
  expect(await listed(desk)).toEqual([task_id]);
  const late = await desk.no('task_update', { task_id, status: 'GATHER', lease_token: dead?.lease_token });
  expect(late).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: null, until: null } });

  const heir = await claim(desk, 'heir');
  expect(heir).toMatchObject({ task: { task_id, assignee: 'heir' }, lease_token: (dead?.lease_token ?? 0) + 1 });
  for (const rest of [{ status: 'GATHER' }, { title: 'mine' }, { note: 'still here' }, { release: true }, {}]) {
    const error = await desk.no('task_update', { task_id, lease_token: dead?.lease_token, ...rest });
    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: 'heir', until: heir?.lease_until } });
  }
  // Without a token: what the lease guards, and what it does not.
  for (const rest of [{ status: 'GATHER' }, { assignee: 'dead' }, { assignee: null }, { release: true }]) {
    expect((await desk.no('task_update', { task_id, ...rest })).code).toBe('ERR_LEASE_LOST');
  }
  for (const rest of [{ title: 'new' }, { status: 'INIT' }, { assignee: 'heir' }, { depends_on: [] }, { note: 'hm' }]) {
    await desk.ok('task_update', { task_id, ...rest });
  }
  await desk.ok('task_update', { task_id, status: 'GATHER', lease_token: (dead?.lease_token ?? 0) + 1 });
  expect(checkSubjects(desk.path, clock.now())).toEqual([]);
});

test('an update with the token, or a note under the holder’s name, lets the lease run anew; others do not', async () => {
  const clock = handClock();
  const desk = await openDesk();
  const { task_id } = await desk.ok('task_create', { title: 'slow work' });
  const lease = await claim(desk, 'worker', { lease_minutes: 10 });
  const lease_token = lease?.lease_token;
  const until = async () =>
    (await desk.store.read((tx) => tx.get<{ until: string }>('SELECT until FROM leases')))?.until;
  const { version, updated_at } = lease?.task ?? {};

  clock.pass(9 * MINUTE);
  await desk.ok('task_update', { task_id, note: 'a stranger looks on' }, 'stranger');
  expect(await until()).toBe(lease?.lease_until);
  await desk.ok('task_update', { task_id, note: 'working' }, 'worker');
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  clock.pass(9 * MINUTE);
  expect(await desk.ok('task_update', { task_id, lease_token, note: 'still' })).toMatchObject({ version, updated_at });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  clock.pass(9 * MINUTE);
  await desk.ok('task_update', { task_id, lease_token });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  await desk.ok('task_update', { task_id, lease_token, release: true });
  expect(await claim(desk, 'next')).toMatchObject({ lease_token: (lease_token ?? 0) + 1 });
  expect(checkSubjects(desk.path, clock.now())).toEqual([]);
});

test('a task that ends gives its lease back; the holder finds its own tasks, others do not', async () => {
  const clock = handClock();
  const desk = await openDesk();
  const first = await taskIn(desk, 'VERIFY', { priority: 'urgent' });
  const second = await taskIn(desk, 'INIT');
  const held = await claim(desk, 'worker');
  expect(await listed(desk, { assignee: 'worker' })).toEqual([first.task_id]);
  expect(await listed(desk)).toEqual([second.task_id]);
  await desk.ok('task_update', {
    task_id: first.task_id,
    status: 'DONE',
    note: 'done',
    lease_token: held?.lease_token,
  });
  const row = await desk.store.read((tx) => tx.get('SELECT released, flagged FROM leases'));
  expect(row).toEqual({ released: 1, flagged: 0 });
  expect(await listed(desk)).toEqual([second.task_id]);
  expect(checkSubjects(desk.path, clock.now())).toEqual([]);
});

test('more expired leases than a claim clears, most of them on tasks that are not for now', async () => {
  const clock = handClock();
  const desk = await openDesk();
  const count = 130;
  const { task_id: blocker } = await desk.ok('task_create', { title: 'blocker', project: 'elsewhere' });
  for (let i = 0; i < count; i++) await desk.ok('task_create', { title: `t${i}`, project: i < count - 1 ? 'a' : 'b' });
  for (let i = 0; i < count - 1; i++) {
    const one = await claim(desk, 'dead', { project: 'a' });
    await desk.ok('task_update', { task_id: one?.task.task_id, lease_token: one?.lease_token, depends_on: [blocker] });
    clock.pass(1);
  }
  const last = await claim(desk, 'dead', { project: 'b' });
  clock.pass(31 * MINUTE);
  expect(await listed(desk, { project: 'b' })).toEqual([last?.task.task_id]);
  expect(await claim(desk, 'heir', { project: 'b' })).toMatchObject({ task: { task_id: last?.task.task_id } });
  const empty = await desk.ok('task_next_actions', { project: 'a', claim_by: 'heir' });
  expect(empty.reason).toMatch(/^every open task waits for others/);
  expect(empty.blocked).toHaveLength(10);
  expect(checkSubjects(desk.path, clock.now())).toEqual([]);
});

test('with 1,500 live leases a holder still finds its own, and what has expired is offered', async () => {
  const clock = handClock();
  const desk = await openDesk();
  const { task_id: expired } = await desk.ok('task_create', { title: 'expired', assignee: 'x', priority: 'low' });
  const { task_id: own } = await desk.ok('task_create', { title: 'own', assignee: 'me', priority: 'low' });
  const crowd = Array.from({ length: 1_500 }, () => ({ title: 'other', assignee: 'crowd' }));
  await Promise.all(crowd.map((other) => desk.ok('task_create', other)));
  await Promise.all(
    Array.from({ length: 1_500 }, () => claim(desk, 'crowd', { assignee: 'crowd', lease_minutes: 60 })),
  );
  clock.pass(1_000);
  await claim(desk, 'me', { assignee: 'me', lease_minutes: 1440 });
  await claim(desk, 'x', { assignee: 'x', lease_minutes: 61 });
  expect(await listed(desk, { assignee: 'me' })).toEqual([own]);
  clock.pass(62 * MINUTE);
  // Now 1,501 have run out, the one asked for last of all.
  expect(await listed(desk, { assignee: 'x' })).toEqual([expired]);
  expect(await listed(desk, { assignee: 'me' })).toEqual([own]);
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
  const desk = await openDesk();
  await taskIn(desk, 'INIT');
  await taskIn(desk, 'INIT');
  const [ada, bob] = [await claim(desk, 'ada'), await claim(desk, 'bob')];
  const slip = { task_id: ada?.task.task_id, lease_token: bob?.lease_token, status: 'GATHER' };
  expect((await desk.no('task_update', slip)).code).toBe('ERR_LEASE_LOST');

  const { actions } = await desk.ok('task_next_actions', { assignee: 'ada' });
  expect(actions).toMatchObject([{ lease_token: ada?.lease_token, lease_until: ada?.lease_until }]);
  expect((await desk.ok('task_next_actions', { assignee: 'bob' })).actions[0].lease_token).toBe(bob?.lease_token);
});
