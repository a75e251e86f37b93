// A holder that dies, comes late, gives back, or goes on working.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { ON_POSTGRES } from '../support/postgres.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import { claim, listed } from './lease.shared.js';
import { type Answer, errorIn, handClock, MINUTE, openTaskTools, taskIn } from './task-tools.js';

const dataOf = (answer: Answer): Answer => answer.result.structuredContent.data;

const started = async (place: ReturnType<typeof freshPlace>): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

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
  const heir = await claim(tools, 'heir');
  expect(heir).toMatchObject({ task: { task_id, assignee: null, lease: { holder: 'heir' } }, previous_holder: 'dead' });
  expect(heir?.lease_token).toBeGreaterThan(dead?.lease_token);
  for (const rest of [{ status: 'GATHER' }, { title: 'mine' }, { note: 'still here' }, { release: true }, {}]) {
    const error = await tools.no('task_update', { task_id, lease_token: dead?.lease_token, ...rest });
    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', details: { holder: 'heir', until: heir?.lease_until } });
  }
  // Without a token: what the lease guards, and what it does not.
  for (const rest of [{ status: 'GATHER' }, { assignee: 'dead' }, { release: true }]) {
    expect((await tools.no('task_update', { task_id, ...rest })).code).toBe('ERR_LEASE_REQUIRED');
  }
  for (const rest of [{ title: 'new' }, { status: 'INIT' }, { assignee: null }, { depends_on: [] }, { note: 'hm' }]) {
    await tools.ok('task_update', { task_id, ...rest });
  }
  await tools.ok('task_update', { task_id, status: 'GATHER', lease_token: heir?.lease_token });
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
  const still = await tools.whole('task_update', { task_id, lease_token, note: 'still' });
  expect(still).toMatchObject({ version, updated_at });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  clock.pass(9 * MINUTE);
  await tools.ok('task_update', { task_id, lease_token });
  expect(await until()).toBe(new Date(Date.now() + 10 * MINUTE).toISOString());
  await tools.ok('task_update', { task_id, lease_token, release: true });
  expect((await claim(tools, 'next'))?.lease_token).toBeGreaterThan(lease_token);
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

const lastOutcome = (path: string): Answer => {
  const db = new Database(path, { readonly: true });
  const body = db.prepare("SELECT body FROM actions WHERE kind = 'call.exit' ORDER BY id DESC LIMIT 1").pluck().get();
  db.close();
  return JSON.parse(String(body));
};

test('a live lease whose flags somebody cleared is neither offered nor given away', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await tools.ok('task_create', { title: 'held' });
  await claim(tools, 'worker', { lease_minutes: 10 });
  const db = new Database(tools.path);
  db.exec('UPDATE leases SET flagged = 0; UPDATE tasks SET leased = 0');
  db.close();
  expect(await listed(tools)).toEqual([]);
  expect(await claim(tools, 'thief')).toBeUndefined();
  clock.pass(10 * MINUTE);
  expect(await claim(tools, 'thief')).toBeDefined();
});

test('the record of a claim names the leases that it found run out, also if it claims nothing', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  for (const title of ['one', 'two']) await tools.ok('task_create', { title, assignee: 'worker' });
  await claim(tools, 'worker', { lease_minutes: 1 });
  expect(lastOutcome(tools.path)).not.toHaveProperty('expired');
  await claim(tools, 'worker', { lease_minutes: 2, another: true });
  clock.pass(MINUTE);
  expect(await claim(tools, 'stranger', { assignee: 'stranger' })).toBeUndefined();
  expect(lastOutcome(tools.path).expired).toEqual([{ task_id: 'T-0001', rev: 1 }]);
  clock.pass(MINUTE);
  expect(await claim(tools, 'worker')).toMatchObject({ task: { task_id: 'T-0001' } });
  expect(lastOutcome(tools.path).expired).toEqual([{ task_id: 'T-0002', rev: 1 }]);
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test.skipIf(ON_POSTGRES)(
  'over the wire: the holder is killed, its lease runs out, another process takes over',
  async () => {
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
    expect(taken).toMatchObject({ task: { task_id, assignee: null }, previous_holder: 'dead' });
    expect(taken.lease_token).toBeGreaterThan(held.lease_token);
    const late = await heir.call('task_update', stale);
    expect(errorIn(late.result.structuredContent)).toMatchObject({
      code: 'ERR_LEASE_LOST',
      details: { holder: 'heir', until: taken.lease_until },
    });
    await heir.call('task_update', { ...stale, lease_token: taken.lease_token });
    await heir.end();
    // The new lease has been written since, and recorded.
    expect(checkSubjects(place.db)).toEqual([]);
  },
);

test('a token opens its own task alone, and a holder that lost it gets it with its next claim', async () => {
  handClock();
  const tools = await openTaskTools();
  await taskIn(tools, 'INIT');
  await taskIn(tools, 'INIT');
  const [ada, bob] = [await claim(tools, 'ada'), await claim(tools, 'bob')];
  const slip = { task_id: ada?.task.task_id, lease_token: bob?.lease_token, status: 'GATHER' };
  expect((await tools.no('task_update', slip)).code).toBe('ERR_LEASE_LOST');

  expect(await claim(tools, 'ada')).toMatchObject({ lease_token: ada?.lease_token, lease_until: ada?.lease_until });
  expect((await claim(tools, 'bob'))?.lease_token).toBe(bob?.lease_token);
});
