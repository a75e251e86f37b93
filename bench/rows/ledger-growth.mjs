// The same proof and the same append at a thousand times as many records: neither walks the log.
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyRing } from '../../build/ledger/keys.js';
import { append } from '../../build/ledger/ledger.js';
import { ownLogOf } from '../../build/ledger/own-log.js';
import { proveRecord } from '../../build/ledger/prove.js';
import { openSqliteStore } from '../../build/store/sqlite/open.js';
import { ledgerStore } from '../ledger-stores.mjs';
import { inFolder } from '../servers.mjs';
import { statsOf, takingTurns } from '../traffic.mjs';

/** @typedef {import('../../build/store/store.js').Store} Store */
/** @typedef {{ store: Store, own: import('../../build/ledger/own-log.js').OwnLog, records: number }} Opened */

/**
 * Hands `use` a copy of a store, opened as the server opens it.
 * @template T
 * @param {() => Promise<string>} original
 * @param {(opened: Opened) => Promise<T>} use
 */
export const withLedgerCopy = (original, use) =>
  inFolder(async (folder) => {
    const path = join(folder, 'colibri.db');
    const from = await original();
    copyFileSync(from, path);
    const store = await openSqliteStore({ path });
    try {
      const row = await store.read((tx) => tx.get('SELECT log_id, size FROM logs'));
      const own = ownLogOf(keyRing({ dir: join(dirname(from), 'keys') }), String(row?.log_id));
      return await use({ store, own, records: Number(row?.size) });
    } finally {
      await store.close();
    }
  });

/** A proof of a record somewhere in the log. @param {Opened} opened @returns {(i: number) => Promise<unknown>} */
const proving =
  ({ store, own: { id: log }, records }) =>
  async (i) => {
    // Steps that share no factor with the size visit all of the log.
    const proof = await store.read((tx) => proveRecord(tx, { log, seq: (i * 7_919) % records }));
    if (proof === undefined) throw new Error('no proof');
  };

/** @param {Opened} opened @returns {(i: number) => Promise<unknown>} */
const appending =
  ({ store, own }) =>
  () => {
    const at = new Date().toISOString();
    /** @type {import('../../build/proof/records.js').GapRecord} */
    const record = { kind: 'gap', count: 1, first_at: at, last_at: at, reason: 'bench' };
    return store.write((tx) => append(tx, own, [{ at, record }]), { group: true });
  };

/**
 * @param {Record<'small' | 'large', () => Promise<string>>} stores
 * @param {(opened: Opened) => (i: number) => Promise<unknown>} doing
 * @param {{ warmUp: number, calls: number }} size
 * @returns {(round: number) => Promise<import('../rounds.mjs').Pair>}
 */
export const ledgerGrowth =
  (stores, doing, { warmUp, calls }) =>
  (round) =>
    withLedgerCopy(stores.large, (large) =>
      withLedgerCopy(stores.small, async (small) => {
        const both = [doing(large), doing(small)];
        await takingTurns(both, { calls: warmUp, first: round });
        const [many, few] = await takingTurns(both, { calls, first: round });
        const [ours, reference] = [statsOf(many.timesUs), statsOf(few.timesUs)];
        return { ours: ours.p50Us, reference: reference.p50Us, details: { ours, reference } };
      }),
    );

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const ledgerGrowthRows = (quick) => {
  const counts = { small: 1_000, large: quick ? 20_000 : 1_000_000 };
  const stores = { small: ledgerStore(counts.small), large: ledgerStore(counts.large) };
  const size = quick ? { warmUp: 50, calls: 200 } : { warmUp: 300, calls: 1_000 };
  const over = `at ${counts.large.toLocaleString('en-US')} records ÷ at 1,000`;
  const common = {
    unit: 'µs',
    judged: /** @type {const} */ ('ratio'),
    better: /** @type {const} */ ('<='),
    isOneBuild: true,
  };
  return [
    {
      ...common,
      id: 'proof',
      name: `inclusion proof, p50, ${over}`,
      measure: ledgerGrowth(stores, proving, size),
    },
    {
      ...common,
      id: 'append',
      name: `append of one record, p50, ${over}`,
      measure: ledgerGrowth(stores, appending, size),
    },
  ];
};
