// Stores with a long log and nothing else: calls as the product records them, appended by its own code in large
// transactions, with the signatures it would make by itself.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { recordBoot } from '../build/ledger/calls/instances.js';
import { headsIn } from '../build/ledger/heads.js';
import { keyRing } from '../build/ledger/keys.js';
import { append } from '../build/ledger/ledger.js';
import { openLog } from '../build/ledger/open.js';
import { payloadOf } from '../build/ledger/payload.js';
import { createSigner } from '../build/ledger/signer.js';
import { openSqliteStore } from '../build/store/sqlite/open.js';
import { makeFolder } from './belongings.mjs';

const INSTANCE = '0192f0c1-0000-7000-8000-000000000001';
const AT = '2026-11-15T18:30:00.123Z';
/** One transaction, one checkpoint: what the product signs by itself. */
const RECORDS_PER_WRITE = 1_024;

/** @type {import('../build/proof/records.js').BootRecord} */
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
  config_digest: '0'.repeat(64),
};

const CLIENT = { name: 'bench', version: '1.0', protocol: '2025-06-18' };

/** Every other call has arguments that are kept. @param {number} i */
const argumentsOf = (i) => payloadOf(i % 2 === 0 ? {} : { limit: 20, project: 'colibri', status: `S${i}` }, 'stored');

/** What a kind of store has in the outcome of its call i of n, besides what all have. @typedef {(i: number, n: number) => { at?: string, notes?: any }} Traffic */

/** @param {number} seq of its intent @param {ReturnType<Traffic>} more */
const callAt = (seq, { at = AT, notes }) => {
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
    call,
    tool: 'task_list',
    outcome: 'ok',
    result_digest: hash('sha256', call),
    duration_us: 400 + (seq % 300),
    ...notes,
  };
  return {
    row: payload.row,
    records: [
      { at, record: enter },
      { at, record: exit, sequenceNo: seq },
    ],
  };
};

/** @param {string} folder @param {number} records @param {Traffic} traffic */
const makeStore = async (folder, records, traffic) => {
  const path = join(folder, 'colibri.db');
  const store = await openSqliteStore({ path });
  const keys = keyRing({ dir: join(folder, 'keys') });
  const heads = headsIn(join(folder, 'heads'));
  const log = await openLog({ store, keys, heads, node: 'host/user', now: () => AT }, (tx, opened) =>
    recordBoot(tx, opened, AT, BOOT),
  );
  const signer = createSigner({ store, log: log.id, keys, heads, warn: console.error, onBroken: console.error });
  const first = await store.read((tx) => tx.get('SELECT size FROM logs'));
  for (let seq = Number(first?.size); seq < records; seq += RECORDS_PER_WRITE) {
    await store.write(async (tx) => {
      const length = Math.min(RECORDS_PER_WRITE, records - seq) >> 1;
      const calls = Array.from({ length }, (_, i) => callAt(seq + 2 * i, traffic((seq >> 1) + i, records / 2)));
      await append(
        tx,
        log,
        calls.flatMap((call) => call.records),
      );
      for (const [i, { row }] of calls.entries()) {
        if (row === undefined) continue;
        const at = [log.id, seq + 2 * i, row.salt, row.json];
        await tx.run('INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)', ...at);
      }
    });
    await signer.sign();
  }
  await store.close();
  return path;
};

/** A store that is made when it is first asked for, gone with the process. @param {number} records @param {Traffic} [traffic] */
export const ledgerStore = (records, traffic = () => ({})) => {
  /** @type {Promise<string> | undefined} */
  let made;
  const make = () => {
    const folder = makeFolder('bench-ledger');
    console.error(`making a store of ${records} records`);
    return makeStore(folder, records, traffic);
  };
  return () => {
    made ??= make();
    return made;
  };
};
