import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratch } from '../../../test/children/start.js';
import type { Store, Tx } from '../store.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqliteStore } from './open.js';
import type { SqliteOptions } from './options.js';

const openScratch = async (options: Partial<SqliteOptions> = {}): Promise<{ store: Store; path: string }> => {
  const path = join(scratch(), 'colibri.db');
  const store = await openSqliteStore({ ...options, path });
  onTestFinished(() => store.close());
  await store.migrate(async () => {});
  return { store, path };
};

const put = (tx: Tx, idx: number) => tx.run('INSERT INTO tiles VALUES (?, 0, ?, ?)', 'log', idx, 'h'.repeat(500));

/** The length of the log that the next reader would see; NOOP changes nothing. */
const framesIn = (path: string): (() => number) => {
  const db = new Database(path, { timeout: 0 });
  onTestFinished(() => void db.close());
  return () => {
    const [row] = db.pragma('wal_checkpoint(NOOP)') as { log: number }[];
    return row?.log ?? 0;
  };
};

describe('a backup', () => {
  it('is a whole, private, checked copy; the newest three are kept', async () => {
    let now = Date.parse('2026-11-15T18:30:00.123Z');
    const { store, path } = await openScratch({ now: () => now });
    const folder = `${path}.backups`;
    const copies: string[] = [];
    for (let n = 0; n < 5; n++) {
      await store.write((tx) => put(tx, n));
      copies.push(await store.backup());
      now += 60_000;
    }
    expect(copies[0]).toBe(join(folder, `20261115T183000123Z-v${MIGRATIONS.length}.db`));
    expect(fs.readdirSync(folder).map((name) => join(folder, name))).toEqual(copies.slice(2));
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    for (const [at, copy] of copies.slice(2).entries()) {
      expect(fs.statSync(copy).mode & 0o777).toBe(0o600);
      const db = new Database(copy, { readonly: true });
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(db.prepare('SELECT count(*) FROM tiles').pluck().get()).toBe(at + 3);
      db.close();
    }
  });

  it('leaves other files alone and clears what a crash left', async () => {
    const { store, path } = await openScratch({ limits: { backups: 1 } });
    fs.mkdirSync(`${path}.backups`);
    for (const name of ['mine.db', '20200101T000000000Z-7.part', '20200101T000000000Z-v1.db']) {
      fs.writeFileSync(join(`${path}.backups`, name), '');
    }
    const copy = await store.backup();
    expect(fs.readdirSync(`${path}.backups`).sort()).toEqual([copy.slice(path.length + 9), 'mine.db'].sort());
  });

  it('that fails says so and leaves nothing half done', async () => {
    const { store, path } = await openScratch();
    fs.writeFileSync(`${path}.backups`, '');
    await expect(store.backup()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', remedy: expect.any(String) });
    expect(await store.write((tx) => put(tx, 1))).toBe(1);
  });
});

describe('the write-ahead log', () => {
  it('starts again from its beginning after a checkpoint, although writes go on meanwhile', async () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => void warnings.push(message) };
    const { store, path } = await openScratch({ limits: { commitsPerCheckpoint: 100 }, logger });
    const frames = framesIn(path);
    let longest = 0;
    for (let n = 0; n < 5_000 && frames() >= longest; n++) {
      longest = frames();
      await store.write((tx) => put(tx, n));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(longest).toBeGreaterThan(100);
    expect(frames()).toBeLessThan(longest);
    expect(warnings).toEqual([]);
    await store.close();
  });

  it('is emptied at close even where another process keeps the database open', async () => {
    const { store, path } = await openScratch();
    const other = await openSqliteStore({ path });
    onTestFinished(() => other.close());
    await store.write((tx) => put(tx, 1));
    await store.close();
    expect(fs.statSync(`${path}-wal`).size).toBe(0);
    expect(await other.read((tx) => tx.get('SELECT count(*) AS n FROM tiles'))).toEqual({ n: 1 });
  });
});
