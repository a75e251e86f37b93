// One store, one identity: a process whose database was taken away acknowledges nothing more.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { ATTACKS, inUse, isRescued, refusesEverything } from './store-taken-away.js';

const FAST = ['deleted', 'replaced by a copy', 'without its write-ahead log'];

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
  await peer.until(() => peer.stderr.includes('is written aside to'), 5_000);
  const log = fs.readFileSync(`${place.env.XDG_STATE_HOME}/colibri/log/colibri.log`, 'utf8');
  expect(log).toMatch(/taken away while it was in use: .*colibri\.db is gone/);
  expect((await peer.end()).code).toBe(0);
});
