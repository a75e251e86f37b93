// One store, one identity: a process whose database was taken away acknowledges nothing more.
import * as fs from 'node:fs';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, json } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, serve } from '../support/serve.js';
import { ATTACKS, inUse, isRescued, refusesEverything } from './store-taken-away.js';

const FAST = ['deleted', 'replaced by a copy', 'without its write-ahead log', 'with its write-ahead log emptied'];

test.concurrent.for(FAST)(
  'a store that is %s: no receipt, the reason, and what was recorded is written aside',
  async (name, { expect: _, onTestFinished }) => {
    const place = freshPlace(onTestFinished);
    const { peer, receipts } = await inUse(place);
    const [attack, reason] = ATTACKS[name] ?? [() => {}, /never/];
    attack(place.db);
    await refusesEverything(peer, reason);
    await isRescued(place, peer, receipts);
    expect(peer.stderr).toMatch(/STORE_UNAVAILABLE: the store was taken away/);
  },
);

test('a process that nobody calls notices by itself, and its log file says so', async () => {
  const place = freshPlace();
  const { peer } = await inUse(place);
  fs.rmSync(place.db);
  await peer.until(() => peer.stderr.includes('the contents of the store were saved to'), 5_000);
  const log = fs.readFileSync(`${place.env.XDG_STATE_HOME}/colibri/log/colibri.log`, 'utf8');
  expect(log).toMatch(/taken away while it was in use: .*colibri\.db is gone/);
  expect((await peer.end()).code).toBe(0);
});

deepTest('a process whose write-ahead log was taken away folds nothing back over what others wrote since', async () => {
  const place = freshPlace();
  const { peer: first } = await inUse(place);
  for (const end of ['-wal', '-shm']) fs.rmSync(`${place.db}${end}`);
  const second = serve(place);
  await second.initialize();
  await second.phase2();
  for (let n = 0; n < 20; n += 1) expect(receiptOf(await second.call('task_create', { title: `${n}` }))).toBeDefined();
  await second.end();
  const before = json(await colibri(place, ['verify', '--json']));
  expect((await first.end()).code).toBe(0);
  const after = await colibri(place, ['verify', '--json']);
  expect(after.code).toBe(0);
  expect(json(after).logs).toEqual(before.logs);
});

deepTest('a living process whose lock was removed gets it back by itself', async () => {
  const place = freshPlace();
  const { peer: first } = await inUse(place);
  await first.call('thought_record', { type: 'decision', content: 'mine' });
  const locks = `${place.db}.instances`;
  fs.rmSync(locks, { recursive: true });
  await expect.poll(() => fs.existsSync(locks) && fs.readdirSync(locks).length, { timeout: 5_000 }).toBe(1);
  const second = serve(place);
  await second.initialize();
  await second.phase2();
  expect(receiptOf(await second.call('task_list', {}))).toBeDefined();
  expect(second.stderr).not.toMatch(/closed \d+ calls|sealed \d+ sessions/);
  await second.end();
  expect(fs.readdirSync(locks)).toHaveLength(1);
  await first.end();
  expect(fs.readdirSync(locks)).toEqual([]);
});
