// Verifying a whole store against the least that could be done with it: reading the same records and hashing each once.
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { headsIn } from '../../dist/ledger/heads.js';
import { recordBoot } from '../../dist/ledger/instances.js';
import { keyRing } from '../../dist/ledger/keys.js';
import { append } from '../../dist/ledger/ledger.js';
import { openLog } from '../../dist/ledger/open.js';
import { payloadOf } from '../../dist/ledger/payload.js';
import { createSigner } from '../../dist/ledger/signer.js';
import { openSqliteStore } from '../../dist/store/sqlite.js';
import { verifyStore } from '../../dist/verify/verify.js';
import { alternating, median } from '../rounds.mjs';

const INSTANCE = '0192f0c1-0000-7000-8000-000000000001';
const AT = '2026-11-15T18:30:00.123Z';
/** One transaction, one checkpoint: what the product signs by itself. */
const RECORDS_PER_WRITE = 1_024;

/** @type {import('../../dist/ledger/records.js').BootRecord} */
const BOOT = {
  kind: 'boot',
  instance: INSTANCE,
  node: 'host/user',
  pid: 1,
  os_user: 'user',
  version: '0',
  mode: 'FULL',
  project: null,
  machine_boot: null,
  config_digest: '00',
};

const CLIENT = { name: 'bench', version: '1.0', protocol: '2025-06-18' };

/** Every other call has arguments that are kept. @param {number} i */
const argumentsOf = (i) => payloadOf(i % 2 === 0 ? {} : { limit: 20, project: 'colibri', status: `S${i}` }, 'stored');

/** @param {number} seq of its intent */
const callAt = (seq) => {
  const call = `3b241101-e2bb-4255-8caf-${String(seq).padStart(12, '0')}`;
  const payload = argumentsOf(seq / 2);
  /** @type {any} */
  const enter = {
    kind: 'call.enter',
    instance: INSTANCE,
    call,
    tool: 'task_list',
    effect: 'read',
    client: CLIENT,
    ...payload.said,
  };
  /** @type {any} */
  const exit = {
    kind: 'call.exit',
    sequence_no: seq,
    call,
    tool: 'task_list',
    outcome: 'ok',
    result_digest: hash('sha256', call),
    duration_us: 400 + (seq % 300),
  };
  return {
    row: payload.row,
    records: [
      { at: AT, record: enter },
      { at: AT, record: exit },
    ],
  };
};

/** @param {string} folder @param {number} records */
const makeStore = async (folder, records) => {
  const path = join(folder, 'colibri.db');
  const store = await openSqliteStore({ path });
  const keys = keyRing({ dir: join(folder, 'keys') });
  const heads = headsIn(join(folder, 'heads'));
  const log = await openLog({ store, keys, heads, node: 'host/user', now: () => AT }, (tx, opened) =>
    recordBoot(tx, opened, AT, BOOT),
  );
  const signer = createSigner({ store, log, keys, heads, warn: console.error, onBroken: console.error });
  const first = await store.read((tx) => tx.get('SELECT size FROM logs'));
  for (let seq = Number(first?.size); seq < records; seq += RECORDS_PER_WRITE) {
    await store.write(async (tx) => {
      const calls = Array.from({ length: RECORDS_PER_WRITE / 2 }, (_, i) => callAt(seq + 2 * i));
      await append(
        tx,
        log,
        calls.flatMap((call) => call.records),
      );
      for (const [i, { row }] of calls.entries()) {
        if (row === undefined) continue;
        const at = [log, seq + 2 * i, row.salt, row.json];
        await tx.run('INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)', ...at);
      }
    });
    await signer.sign();
  }
  await store.close();
  return path;
};

/** @param {number} records */
const storeOf = (records) => {
  /** @type {Promise<string> | undefined} */
  let made;
  const make = () => {
    const folder = mkdtempSync(join(tmpdir(), 'colibri-bench-verify-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    console.error(`making a store of ${records} records`);
    return makeStore(folder, records);
  };
  return () => {
    made ??= make();
    return made;
  };
};

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
    now: AT,
    onProgress: () => {
      peak = Math.max(peak, residentMb());
    },
  });
  const seconds = (performance.now() - began) / 1000;
  if (verdict.exit !== 0)
    throw new Error(`exit ${verdict.exit}: ${JSON.stringify(verdict.findings[0] ?? verdict.missing)}`);
  return { value: verdict.record_count / seconds, details: { seconds, grownMb: peak - before } };
};

/** @param {() => Promise<string>} store */
const reference = (store) => async () => {
  const db = new Database(await store(), { readonly: true });
  const rows = db
    .prepare('SELECT id, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM actions ORDER BY id')
    .raw()
    .iterate();
  const began = performance.now();
  let count = 0;
  for (const row of rows) {
    if (hash('sha256', `\u0000${/** @type {any} */ (row)[7]}`) !== /** @type {any} */ (row)[8])
      throw new Error('another leaf');
    count += 1;
  }
  const seconds = (performance.now() - began) / 1000;
  db.close();
  return { value: count / seconds, details: { seconds } };
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const verifyRow = (quick) => {
  const records = quick ? 50_000 : 300_000;
  const store = storeOf(records);
  return {
    id: 'verify',
    name: `verify, ${records.toLocaleString('en-US')} records on two threads, ÷ reading and hashing each once`,
    unit: 'records/s',
    judged: 'ratio',
    better: '>=',
    goals: { now: 0.5, design: 0.5 },
    measure: alternating(ours(store), reference(store)),
    remark: (pairs) => {
      const grown = pairs.map(({ details }) => /** @type {any} */ (details).ours.grownMb);
      return `resident memory grew by ${median(grown).toFixed(0)} MB while verifying, threads included`;
    },
  };
};
