import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heard, scratch, startChild } from '../../../test/children/start.js';
import { storeContract } from '../../../test/support/store-contract.js';
import type { Store, Tx } from '../store.js';
import { openSqliteStore } from './open.js';
import type { SqliteOptions } from './options.js';

storeContract('SQLite', async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'colibri-contract-'));
  const opened: Store[] = [];
  const open = async () => {
    const store = await openSqliteStore({ path: join(folder, 'colibri.db') });
    opened.push(store);
    return store;
  };
  return {
    store: await open(),
    another: open,
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
});

/** A migrated store in a folder of its own, closed with the test. */
const openScratch = async (options: Partial<SqliteOptions> = {}): Promise<{ store: Store; path: string }> => {
  const path = options.path ?? join(scratch(), 'colibri.db');
  const store = await openSqliteStore({ ...options, path });
  onTestFinished(() => store.close());
  await store.migrate(async () => {});
  return { store, path };
};

const put = (tx: Tx, idx: number) => tx.run('INSERT INTO tiles VALUES (?, 0, ?, ?)', 'log', idx, 'h');

/** Measures the longest time that the event loop was blocked until `stop` is called. */
const watchLoop = (): (() => number) => {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 2);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
};

/** Another process takes the write lock; the returned function makes it release the lock. */
const lockElsewhere = async (path: string): Promise<() => void> => {
  const child = startChild('lock-database.mjs', [path]);
  expect(await heard(child)).toBe('held');
  return () => void child.send('let go');
};

describe('a file of the SQLite store', () => {
  it('is made for its owner alone, with its folder', async () => {
    const path = join(scratch(), 'a', 'b', 'colibri.db');
    const { store } = await openScratch({ path });
    expect(fs.statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    await store.close();
    expect(fs.readdirSync(join(path, '..'))).toEqual(['colibri.db']);
    const db = new Database(path);
    expect(db.pragma('application_id', { simple: true })).toBe(Buffer.from('Coli').readInt32BE());
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });

  it('is enforced to keep its references', async () => {
    const { store } = await openScratch();
    const orphan = `INSERT INTO actions VALUES (0, 'none', 0, NULL, 'boot', NULL, '', '', '')`;
    await expect(store.write((tx) => tx.run(orphan))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
  });

  it.each([
    ['normal', 1],
    ['full', 2],
  ] as const)('is synced as durability %s asks', async (durability, level) => {
    const { store } = await openScratch({ durability });
    const seen = await store.write((tx) => tx.get('SELECT synchronous AS level FROM pragma_synchronous'));
    expect(seen).toEqual({ level });
  });

  it('that belongs to another program is refused and not touched', async () => {
    const path = join(scratch(), 'theirs.db');
    const theirs = new Database(path);
    theirs.exec('CREATE TABLE gpkg_contents (x); PRAGMA application_id = 0x47504b47');
    theirs.close();
    const before = fs.readFileSync(path);
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/"GPKG".*gpkg_contents/) };
    await expect(openSqliteStore({ path })).rejects.toMatchObject(refused);
    await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject(refused);
    expect(fs.readFileSync(path).equals(before)).toBe(true);
    expect(fs.readdirSync(join(path, '..'))).toEqual(['theirs.db']);
  });

  it.each([
    ['random bytes', (path: string) => fs.writeFileSync(path, Buffer.alloc(8_192, 0x5a))],
    ['a few bytes', (path: string) => fs.writeFileSync(path, 'hello')],
    ['a cut file', (path: string) => fs.truncateSync(path, 8_192)],
  ])('that holds %s is STORE_CORRUPT', async (_, damage) => {
    const { store, path } = await openScratch();
    await store.close();
    damage(path);
    for (const readOnly of [false, true]) {
      const opening = openSqliteStore({ path, readOnly });
      await expect(opening).rejects.toMatchObject({ code: 'STORE_CORRUPT', remedy: expect.any(String) });
    }
  });

  it('of a newer Colibri is STORE_UPGRADED', async () => {
    const { store, path } = await openScratch();
    await store.close();
    const db = new Database(path);
    db.pragma('user_version = 99');
    db.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: 'STORE_UPGRADED',
      remedy: expect.any(String),
    });
  });

  it('that is a folder, or below a file, is STORE_UNAVAILABLE', async () => {
    const folder = scratch();
    await expect(openSqliteStore({ path: folder })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    fs.writeFileSync(join(folder, 'file'), '');
    const below = join(folder, 'file', 'colibri.db');
    await expect(openSqliteStore({ path: below })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('gives no value back that we cannot have stored', async () => {
    const { store } = await openScratch();
    for (const odd of ['9007199254740993', `x'00'`]) {
      await expect(store.read((tx) => tx.get(`SELECT ${odd} AS odd`))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
  });
});

describe('while another process holds the write lock', () => {
  it('a write waits without stopping the event loop, and reads go on', async () => {
    const { store, path } = await openScratch();
    const letGo = await lockElsewhere(path);
    const stop = watchLoop();
    let written = false;
    const writing = store
      .write((tx) => put(tx, 1))
      .then(() => {
        written = true;
      });
    expect(await store.read((tx) => tx.all('SELECT idx FROM tiles'))).toEqual([]);
    await sleep(300);
    expect(written).toBe(false);
    letGo();
    await writing;
    expect(stop()).toBeLessThan(150);
  });

  it('a write gives up with STORE_BUSY at its own deadline, and the next one is not harmed', async () => {
    const { store, path } = await openScratch({ limits: { busyMs: 150 } });
    const letGo = await lockElsewhere(path);
    const started = performance.now();
    const busy = { code: 'STORE_BUSY', retryAfterMs: expect.any(Number) };
    const first = expect(store.write((tx) => put(tx, 1), { group: true })).rejects.toMatchObject(busy);
    await sleep(120);
    const second = expect(store.write((tx) => put(tx, 2))).rejects.toMatchObject(busy);
    await first;
    expect(performance.now() - started).toBeGreaterThanOrEqual(150);
    await second;
    expect(performance.now() - started).toBeGreaterThanOrEqual(265);
    letGo();
    const third = async (): Promise<number> => store.write((tx) => put(tx, 3)).catch(third);
    expect(await third()).toBe(1);
    expect(await store.read((tx) => tx.all('SELECT idx FROM tiles'))).toEqual([{ idx: 3 }]);
  });
});

describe('a transaction function', () => {
  it('that writes in a read is a mistake of ours, not of the store', async () => {
    const { store } = await openScratch();
    await expect(store.read((tx) => tx.get('DELETE FROM tiles RETURNING idx'))).rejects.toThrow(TypeError);
  });

  it('that awaits something else fails under checkAwaits and leaves nothing', async () => {
    const { store } = await openScratch({ checkAwaits: true });
    let late: Promise<unknown> = Promise.resolve();
    const straying = store.write(async (tx) => {
      await put(tx, 1);
      await sleep(20);
      late = put(tx, 2);
      await late;
    });
    await expect(straying).rejects.toThrow('may await only calls of its tx');
    await sleep(40);
    await expect(late).rejects.toThrow('is over');
    await expect(store.read(() => new Promise((resolve) => setImmediate(resolve)))).rejects.toThrow('may await only');
    expect(await store.read((tx) => tx.all('SELECT idx FROM tiles'))).toEqual([]);
  });

  it('that awaits many calls of its tx passes checkAwaits', async () => {
    const { store } = await openScratch({ checkAwaits: true });
    const bulk = (from: number) => async (tx: Tx) => {
      for (let n = from; n < from + 200; n++) await put(tx, n);
    };
    await Promise.all([store.write(bulk(0), { group: true }), store.write(bulk(200), { group: true })]);
    expect(await store.read((tx) => tx.get('SELECT count(*) AS n FROM tiles'))).toEqual({ n: 400 });
  });

  it('that is called again and again lets timers fire', async () => {
    const { store } = await openScratch();
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 1);
    const started = performance.now();
    while (!fired && performance.now() - started < 2_000) await store.write((tx) => tx.get('SELECT 1'));
    expect(fired).toBe(true);
  });
});
