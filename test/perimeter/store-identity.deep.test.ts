// Every way to take a store away from a process that uses it.
import '../support/deep-part.js';
import './store-identity.test.js';
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, serve } from '../support/serve.js';
import { ATTACKS, inUse, isRescued, refusesEverything, rescuedIn } from './store-taken-away.js';

test.for(Object.keys(ATTACKS))(
  'a store that is %s: no receipt, the reason, and what was recorded is written aside',
  async (name) => {
    const place = freshPlace();
    const { peer, receipts } = await inUse(place);
    const [attack, reason] = ATTACKS[name] ?? [() => {}, /never/];
    attack(place.db);
    await refusesEverything(peer, reason);
    await isRescued(place, peer, receipts);
  },
);

test('a database that is emptied in place is noticed; nothing of it can be rescued from the emptied file', async () => {
  const place = freshPlace();
  const { peer } = await inUse(place);
  fs.truncateSync(place.db);
  await refusesEverything(peer, /colibri\.db was emptied/);
});

test('a file that comes back does not bring the process back', async () => {
  const place = freshPlace();
  const { peer } = await inUse(place);
  fs.renameSync(place.db, `${place.db}.away`);
  await refusesEverything(peer, /is gone/);
  fs.renameSync(`${place.db}.away`, place.db);
  await refusesEverything(peer, /is gone/);
  expect(rescuedIn(place)).toHaveLength(1);
});

test('of calls that wait together, those that got a receipt are in the copy', async () => {
  const place = freshPlace();
  const { peer, receipts } = await inUse(place);
  const calls = Array.from({ length: 50 }, (_, at) => peer.call('task_create', { title: `Task ${at}` }));
  await Promise.race(calls);
  fs.rmSync(place.db);
  const answers = await Promise.all(calls);
  const late = await peer.call('task_create', { title: 'Late' });
  expect(late.result.structuredContent.error.code).toBe('STORE_UNAVAILABLE');
  await isRescued(place, peer, [...receipts, ...answers.flatMap((answer) => receiptOf(answer) ?? [])]);
});

test('a process that only reads does not go on with a store that is gone', async () => {
  const place = freshPlace();
  await (await inUse(place)).peer.end();
  const peer = serve(place, { env: { COLIBRI_MODE: 'READONLY' } });
  await peer.initialize();
  await peer.phase2();
  expect((await peer.call('task_list', {})).result.structuredContent.ok).toBe(true);
  fs.rmSync(place.db);
  const answer = await peer.call('task_list', {});
  expect(answer.result.structuredContent.error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
