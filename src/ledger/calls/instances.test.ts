import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { boot, callLedgerParts, now, openLedger, recordsOf } from '../../../test/support/stores.js';
import { createCallLedger } from './call-ledger.js';
import { closeInterrupted, endInstance, recordBoot } from './instances.js';
import type { Intent } from './pair.js';

const intent = (call: string): Intent => ({ at: now(), call, tool: 'server_ping', client: null, args: {} });

it('closes the calls of instances that hold no lock, and only those', async () => {
  const { store, ledger } = await openLedger();
  const place = { store, log: ledger.log, now };
  await ledger.enter(intent('mine, alive'));

  // A boot without a lock is what a killed process leaves.
  const dead = randomUUID();
  await store.write((tx) => recordBoot(tx, ledger.log, now(), boot(dead)));
  const theirs = createCallLedger({ ...callLedgerParts, store, log: ledger.log, instance: dead });
  const open = await theirs.enter(intent('theirs, open'));
  const done = await theirs.enter(intent('theirs, done'));
  await theirs.exit(done, { kind: 'call.exit', at: now(), call: 'theirs, done', tool: 'server_ping', outcome: 'ok' });

  expect(await closeInterrupted(place, ledger)).toBe(1);
  expect(await closeInterrupted(place, ledger)).toBe(0);
  const exits = (await recordsOf(store)).filter((record) => record.kind === 'call.exit');
  expect(exits).toMatchObject([
    { call: 'theirs, done', outcome: 'ok' },
    { call: 'theirs, open', outcome: 'interrupted', sequence_no: open.seq },
  ]);
  const left = await store.read((tx) => tx.all('SELECT instance FROM instances'));
  expect(left).toHaveLength(1);
});

it('takes the row of an instance that ended, unless it leaves calls', async () => {
  const { store, ledger, records } = await openLedger(undefined, 'a0000000-0000-7000-8000-000000000000');
  const place = { store, log: ledger.log, now };
  const rows = () => store.read((tx) => tx.all('SELECT instance FROM instances'));
  const last = { instance: 'a0000000-0000-7000-8000-000000000000', reason: 'SIGTERM', drained: 2, abandoned: 1 };
  await endInstance(place, last, true);
  expect(await rows()).toHaveLength(1);
  await endInstance(place, last, false);
  expect(await rows()).toHaveLength(0);
  expect((await records()).at(-1)).toMatchObject({ kind: 'shutdown', ...last });
});
