// A large store moves to PostgreSQL and back, and the command is killed twice on each way: nothing is lost, nothing is there twice.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quietly } from '../../src/errors.js';
import { recordBoot } from '../../src/ledger/calls/instances.js';
import { readHead } from '../../src/ledger/head.js';
import { headsIn } from '../../src/ledger/heads.js';
import { keyRing } from '../../src/ledger/keys.js';
import { append } from '../../src/ledger/ledger.js';
import { openLog } from '../../src/ledger/open.js';
import { asName } from '../../src/redact/redact.js';
import { thisMachine } from '../../src/start/machine.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { colibri, headsDir, json, keysDir } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { randomFrom } from '../support/random.js';
import { freshPlace, type Place } from '../support/serve.js';
import { boot, now } from '../support/stores.js';
import { startCommand } from './store-upkeep.js';

const RECORDS = counted('records that are moved', 100_000);
const PER_WRITE = 1_000;

/** A call without arguments, and its outcome. */
const pairAt = (instance: string, sequenceNo: number) => {
  const call = crypto.randomUUID();
  const about = { call, tool: 'server_ping' };
  const enter = { kind: 'call.enter', instance, ...about, effect: 'read', client: null, args: 'empty' } as const;
  const result_digest = createHash('sha256').update(call).digest('hex');
  const exit = { kind: 'call.exit', ...about, outcome: 'ok', result_digest, duration_us: 400 } as const;
  return [
    { at: now(), record: enter },
    { at: now(), record: exit, sequenceNo },
  ];
};

/** A log of this node with many records, as its own code writes them. */
const fill = async (place: Place): Promise<void> => {
  const store = await openSqliteStore({ path: place.db });
  const instance = crypto.randomUUID();
  const options = {
    store,
    keys: keyRing({ dir: keysDir(place) }),
    heads: headsIn(headsDir(place)),
    node: asName(thisMachine().node),
    now,
  };
  const log = await openLog(options, (tx, opened) =>
    recordBoot(tx, opened, now(), { ...boot(instance), node: options.node }),
  );
  const { size } = await store.read((tx) => readHead(tx, log.id));
  for (let seq = size; seq < size + RECORDS.count; seq += PER_WRITE) {
    const calls = Array.from({ length: PER_WRITE / 2 }, (_, i) => pairAt(instance, seq + 2 * i));
    await store.write((tx) => append(tx, log, calls.flat()));
  }
  await store.write((tx) => tx.run('DELETE FROM instances'));
  await store.close();
};

const inFile = (path: string) => async (): Promise<number> =>
  quietly(() => {
    const db = new Database(path, { readonly: true });
    try {
      return db.prepare<[], number>('SELECT COUNT(*) FROM actions').pluck().get() ?? 0;
    } finally {
      db.close();
    }
  }) ?? 0;

const onServer = (url: string) => async (): Promise<number> =>
  Number((await askServer(url, 'SELECT COUNT(*) AS n FROM actions').catch(() => []))[0]?.n ?? 0);

interface Way {
  readonly place: Place;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly arrived: () => Promise<number>;
}

/** Kills the command twice while it copies, then lets it end. */
const moveWithKills = async ({ place, args, env, arrived }: Way, parts: readonly number[]) => {
  for (const part of parts) {
    const { child, ended } = startCommand({ ...place, env: { ...place.env, ...env } }, args);
    while (child.exitCode === null && (await arrived()) < part * RECORDS.count) await sleep(5);
    const isInTheMiddle = child.exitCode === null;
    child.kill('SIGKILL');
    await ended;
    expect(isInTheMiddle, 'the command was over before it was killed').toBe(true);
  }
  return colibri(place, args, { env });
};

describe.skipIf(noPostgres())('a large store', () => {
  test(`${RECORDS.count} records, there and back, killed twice on each way`, {
    timeout: 300_000 + RECORDS.count * 10,
  }, async () => {
    const place = freshPlace();
    const random = randomFrom(RECORDS.seed);
    await fill(place);
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const env = { COLIBRI_DATABASE_URL: url };
    const parts = (): number[] => [random.next() * 0.4, 0.4 + random.next() * 0.4];
    const args = ['migrate-store', '--yes', '--json'];
    const to = [...args, '--to', 'postgres', '--db', place.db];
    const there = await moveWithKills({ place, args: to, env, arrived: onServer(url) }, parts());
    expect(there, there.stderr).toMatchObject({ code: 0 });
    const arrived = await colibri(place, ['verify'], { env });
    expect(arrived, arrived.stdout).toMatchObject({ code: 0 });
    const file = join(place.dir, 'back.db');
    const back = await moveWithKills({ place, args: [...args, '--to', file], env, arrived: inFile(file) }, parts());
    expect(back, back.stderr).toMatchObject({ code: 0 });
    expect(json(back).logs.slice(0, 1)).toEqual(json(there).logs);
    expect(json(back).logs[0].size).toBeGreaterThanOrEqual(RECORDS.count);
    for (const db of [place.db, file]) expect(await colibri(place, ['verify', '--db', db])).toMatchObject({ code: 0 });
  });
});
