// What a client gets while the store is locked, broken, foreign or not ours to write.
import '../support/deep-part.js';
import './bad-store.test.js';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { type Environment, filesBelow, freshPlace, type Place, serve, serveWithTools } from '../support/serve.js';
import { answersVitals, lockStore, usedStore } from './store-states.js';

interface BadStore {
  readonly name: string;
  readonly make: (place: Place) => Promise<unknown> | unknown;
  readonly code: string;
  /** What stderr must tell a person: the cause and the remedy. */
  readonly told: readonly RegExp[];
  readonly env?: Environment;
  readonly uid?: number;
  readonly leavesAlone?: boolean;
}

const NOBODY = 65_534;

const giveHomeTo = (place: Place, uid: number): void => {
  fs.chmodSync(place.dir, 0o755);
  for (const dir of [place.home, place.env.TMPDIR ?? '']) fs.chownSync(dir, uid, uid);
};

const BAD_STORES: readonly BadStore[] = [
  {
    name: 'no database at all',
    make: (place) => {
      fs.mkdirSync(dirname(place.db), { recursive: true });
      fs.writeFileSync(place.db, 'this is no database, and it is longer than a header of SQLite would be. '.repeat(9));
    },
    code: 'STORE_CORRUPT',
    told: [/not a SQLite database/, /COLIBRI_DB_PATH/],
    leavesAlone: true,
  },
  {
    name: 'damaged in the middle',
    make: async (place) => {
      await usedStore(place);
      const bytes = fs.readFileSync(place.db);
      bytes.fill(0xff, 100, bytes.length);
      fs.writeFileSync(place.db, bytes);
    },
    code: 'STORE_CORRUPT',
    told: [/damaged/, /\.backups/],
    leavesAlone: true,
  },
  {
    name: 'of a newer Colibri',
    make: async (place) => {
      await usedStore(place);
      const db = new Database(place.db);
      db.pragma('user_version = 999');
      db.close();
    },
    code: 'STORE_UPGRADED',
    told: [/schema 999/, /newer Colibri/],
    leavesAlone: true,
  },
  {
    name: 'of another program',
    make: (place) => {
      fs.mkdirSync(dirname(place.db), { recursive: true });
      const db = new Database(place.db);
      db.exec('CREATE TABLE recipes (name TEXT)');
      db.close();
    },
    code: 'STORE_UNAVAILABLE',
    told: [/recipes/, /COLIBRI_DB_PATH/],
    leavesAlone: true,
  },
  {
    name: 'in a folder this user may not write',
    make: (place) => {
      giveHomeTo(place, NOBODY);
      fs.mkdirSync(dirname(place.db), { recursive: true });
      fs.chmodSync(dirname(place.db), 0o755);
    },
    code: 'STORE_UNAVAILABLE',
    told: [/EACCES/, /may write the file and its folder/],
    uid: NOBODY,
    leavesAlone: true,
  },
  {
    name: 'a file this user may not write',
    make: async (place) => {
      await usedStore(place);
      giveHomeTo(place, NOBODY);
      fs.rmSync(place.home, { recursive: true });
      fs.mkdirSync(place.home);
      giveHomeTo(place, NOBODY);
      fs.chmodSync(dirname(place.db), 0o755);
      fs.chmodSync(place.db, 0o444);
    },
    code: 'STORE_UNAVAILABLE',
    told: [/EACCES/, /may write the file and its folder/],
    uid: NOBODY,
    leavesAlone: true,
  },
  {
    name: 'a folder where the file should be',
    make: (place) => fs.mkdirSync(place.db, { recursive: true }),
    code: 'STORE_UNAVAILABLE',
    told: [/cannot be opened/, /path names a file/],
  },
  {
    name: 'PostgreSQL, where nobody listens',
    make: () => {},
    code: 'STORE_UNAVAILABLE',
    told: [/cannot be reached/, /check that the server runs/],
    env: { COLIBRI_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x' },
  },
  {
    name: 'missing, and READONLY',
    make: () => {},
    code: 'STORE_UNAVAILABLE',
    told: [/there is no database at/, /once in FULL mode/],
    env: { COLIBRI_MODE: 'READONLY' },
  },
];

const bytesOf = (path: string): Buffer | undefined =>
  fs.statSync(path, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(path) : undefined;

test('more calls than can wait for the store: the first 256 are recorded late, the rest is one gap', async () => {
  const place = freshPlace();
  await usedStore(place);
  const unlock = lockStore(place);
  const peer = serve(place);
  await peer.initialize();
  const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => peer.call('server_ping', { n })));
  unlock();
  await peer.phase2();
  const last = await peer.call('server_ping', {});
  await peer.end();
  expect(answers.every((answer) => answer.result.structuredContent.ok && receiptOf(answer) === undefined)).toBe(true);

  const ledger = new Ledger(place.db);
  const { instance, seq } = ledger.bootOf(peer.pid);
  const own = ledger.pairs.filter(({ enter }) => enter.body.instance === instance);
  const late = own.filter(({ enter }) => enter.body.late);
  expect(late.map(({ enter }) => enter.payload?.json)).toEqual(Array.from({ length: 256 }, (_, n) => `{"n":${n}}`));
  expect(late.every(({ enter, exit }) => enter.seq > seq && exit?.body.late && exit.body.outcome === 'ok')).toBe(true);
  const [gap] = ledger.ofKind('gap');
  expect(ledger.ofKind('gap')).toHaveLength(1);
  expect(gap).toMatchObject({ count: 44, first_at: expect.any(String), last_at: expect.any(String) });
  expect(ledger.pairOf(receiptOf(last)).exit?.body.late).toBeUndefined();
});

test('a lock in the middle of a session: ping and health do not wait, nothing is lost', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const unlock = lockStore(place);
  await answersVitals(peer, 'phase2');
  unlock();
  const after = await peer.call('server_ping', {});
  await peer.end();
  const ledger = new Ledger(place.db);
  expect(ledger.pairOf(receiptOf(after)).exit?.body.late).toBeUndefined();
  expect(ledger.pairs).toHaveLength(4);
  expect(ledger.pairs.every(({ exit }) => exit?.body.outcome === 'ok')).toBe(true);
  // The intents were in the journal before the answers left, the outcomes nowhere.
  expect(ledger.pairs.filter(({ exit }) => exit?.body.late)).toHaveLength(3);
  expect(ledger.pairs.filter(({ enter }) => enter.body.late)).toEqual([]);
});

test('stdin closed while the store is locked: the pair of an answered ping is completed before the end', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const unlock = lockStore(place);
  await answersVitals(peer, 'phase2');
  const ended = peer.end();
  await sleep(500);
  unlock();
  expect(await ended).toEqual({ code: 0, signal: null });
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual(['server_ping ok', 'server_health ok', 'server_health ok']);
  expect(ledger.records.at(-1)?.kind).toBe('shutdown');
});

test.concurrent.for(BAD_STORES)(
  'a store that is $name: phase 1, with cause and remedy',
  async (bad, { onTestFinished }) => {
    const place = freshPlace(onTestFinished);
    await bad.make(place);
    const before = bytesOf(place.db);
    const peer = serve(place, { ...(bad.env && { env: bad.env }), ...(bad.uid !== undefined && { uid: bad.uid }) });
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('phase 2 failed'));
    await answersVitals(peer, 'phase1');
    expect(peer.stderr).toContain(bad.code);
    for (const text of bad.told) expect(peer.stderr).toMatch(text);
    expect(peer.stderr).not.toContain('hunter2');
    expect(peer.isRunning).toBe(true);
    expect(await peer.end()).toEqual({ code: 0, signal: null });
    if (bad.leavesAlone) expect(bytesOf(place.db)).toEqual(before);
  },
);

test.concurrent('a store that stays locked: STORE_BUSY after the patience, the process stays', async ({
  onTestFinished,
}) => {
  const place = freshPlace(onTestFinished);
  await usedStore(place);
  lockStore(place);
  const peer = serveWithTools(place);
  await peer.initialize();
  const read = await peer.call('scratch_read', {}, 9_000);
  const { error } = read.result.structuredContent;
  expect(error).toMatchObject({ code: 'STORE_BUSY', details: { retry_after_ms: expect.any(Number) } });
  expect(peer.stderr).toMatch(/phase 2 failed: STORE_BUSY .*another process.*end the other process/);
  await answersVitals(peer, 'phase1');
  expect(await peer.end()).toEqual({ code: 0, signal: null });
});

test('READONLY in a folder this user may not write reads a copy', async () => {
  const place = freshPlace();
  await usedStore(place);
  fs.chmodSync(place.dir, 0o755);
  fs.chmodSync(dirname(place.db), 0o755);
  fs.chmodSync(place.db, 0o644);
  const before = filesBelow(dirname(place.db));
  const peer = serve(place, { env: { COLIBRI_MODE: 'READONLY' }, uid: NOBODY });
  await peer.initialize();
  await peer.phase2();
  await answersVitals(peer, 'phase2');
  expect((await peer.end()).code).toBe(0);
  expect(filesBelow(dirname(place.db))).toEqual(before);
});
