import { join } from 'node:path';
import { expect, it } from 'vitest';
import { now, openLedger, openStore, recordsOf, temporaryFolder } from '../../test/support/stores.js';
import type { Store } from '../store/store.js';
import { readHead } from './head.js';
import { keyRing } from './keys.js';
import { append } from './ledger.js';
import { type OwnLog, ownLogOf } from './own-log.js';
import { rootAt } from './stored-tree.js';
import { rootOf } from './tree.js';

const gap = { at: now(), record: { kind: 'gap', count: 1, first_at: now(), last_at: now(), reason: 'test' } } as const;

const add = (store: Store, log: OwnLog, count = 1) => store.write((tx) => append(tx, log, Array(count).fill(gap)));

/** A log, and the same log as another process on this machine has it open. */
const twice = async () => {
  const dir = temporaryFolder();
  const { store, ledger } = await openLedger(dir);
  const other = await openStore(dir);
  const others = ownLogOf(keyRing({ dir: join(dir, 'keys') }), ledger.log.id);
  return { store, log: ledger.log, other, others };
};

/** Throws unless the records of the log are numbered without a gap and the head is the root over all of them. */
const assertWhole = async (store: Store, log: OwnLog): Promise<void> => {
  const records = await recordsOf(store);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i));
  const head = await store.read((tx) => readHead(tx, log.id));
  expect(head.size).toBe(records.length);
  const root = await store.read((tx) => rootAt(tx, { log: log.id, base: head.base }, head.size));
  expect(rootOf(head.frontier)).toBe(root);
};

it('remembers a head only while no other process appends', async () => {
  const { store, log, other, others } = await twice();
  await add(store, log);
  await add(store, log);
  expect(log.left).toBeDefined();
  await add(other, others, 3);
  await add(store, log);
  expect(log.left).toBeUndefined();
  await add(store, log);
  await add(store, log);
  expect(log.left).toBeDefined();
  await assertWhole(store, log);
});

it('forgets the head of a transaction that was rolled back', async () => {
  const { store, log } = await twice();
  await add(store, log);
  await add(store, log);
  const failed = store.write(async (tx) => {
    await append(tx, log, [gap]);
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  await add(store, log, 2);
  await assertWhole(store, log);
});

it.each([
  ['closed', "UPDATE logs SET closed_at = '2026-11-17T00:00:00.000Z'", 'STORE_UNAVAILABLE'],
  ['of a newer format', 'UPDATE logs SET format = 99', 'STORE_UPGRADED'],
  ['with another MAC', "UPDATE logs SET head_mac = '0'", 'STORE_CORRUPT'],
  ['set back', 'UPDATE logs SET size = size - 1', 'STORE_CORRUPT'],
])('does not continue behind a remembered head a log that is now %s', async (_, sql, code) => {
  const { store, log, other } = await twice();
  await add(store, log);
  await add(store, log);
  expect(log.left).toBeDefined();
  await other.write((tx) => tx.run(sql));
  await expect(add(store, log)).rejects.toMatchObject({ code });
  await expect(add(store, log)).rejects.toMatchObject({ code });
});

it('keeps one log whole while two processes append in turns and at once', async () => {
  const { store, log, other, others } = await twice();
  for (let round = 0; round < 20; round++) {
    await Promise.all([add(store, log), round % 3 === 0 ? add(other, others) : undefined, add(store, log, 2)]);
  }
  await assertWhole(store, log);
});
