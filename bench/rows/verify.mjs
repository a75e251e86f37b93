// Verifying a whole store against the least that could be done with it: reading the same records and hashing each once.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { verifyStore } from '../../build/verify/verify.js';
import { ledgerStore } from '../ledger-stores.mjs';
import { alternating, median } from '../rounds.mjs';

const residentMb = () => process.memoryUsage.rss() / 2 ** 20;

/** @param {() => Promise<string>} store */
const ours = (store) => async () => {
  const path = await store();
  const before = residentMb();
  let peak = before;
  const began = performance.now();
  const verdict = await verifyStore({
    path,
    scope: { kind: 'store' },
    headsDir: join(path, '..', 'heads'),
    workers: 2,
    onProgress: () => {
      peak = Math.max(peak, residentMb());
    },
  });
  const seconds = (performance.now() - began) / 1000;
  if (verdict.exit !== 0)
    throw new Error(`exit ${verdict.exit}: ${JSON.stringify(verdict.findings[0] ?? verdict.missing)}`);
  return { value: verdict.record_count / seconds, details: { seconds, grownMb: peak - before } };
};

/** In batches, which is the fastest way to read them here. @param {() => Promise<string>} store */
const reference = (store) => async () => {
  const db = new Database(await store(), { readonly: true });
  const some = db
    .prepare(
      'SELECT id, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM actions WHERE id > ? ORDER BY id LIMIT 2048',
    )
    .raw();
  const began = performance.now();
  let [count, last] = [0, 0];
  for (;;) {
    const rows = /** @type {any[][]} */ (some.all(last));
    for (const row of rows) if (hash('sha256', `\u0000${row[7]}`) !== row[8]) throw new Error('another leaf');
    count += rows.length;
    last = rows.at(-1)?.[0];
    if (last === undefined) break;
  }
  const seconds = (performance.now() - began) / 1000;
  db.close();
  return { value: count / seconds, details: { seconds } };
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const verifyRow = (quick) => {
  const records = quick ? 50_000 : 300_000;
  const store = ledgerStore(records);
  return {
    id: 'verify',
    name: `verify, ${records.toLocaleString('en-US')} records on two threads, ÷ reading and hashing each once`,
    unit: 'records/s',
    judged: 'ratio',
    better: '>=',
    isOneBuild: true,
    ...alternating(ours(store), reference(store)),
    remark: (pairs) => {
      const grown = pairs.map(({ details }) => /** @type {any} */ (details).ours.grownMb);
      return `resident memory grew by ${median(grown).toFixed(0)} MB while verifying, threads included`;
    },
  };
};
