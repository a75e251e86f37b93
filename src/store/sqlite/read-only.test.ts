import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heard, scratch, startChild } from '../../../test/children/start.js';
import type { Store } from '../store.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqliteStore } from './open.js';
import type { SqliteOptions } from './options.js';

const NOBODY = 65_534;

const open = async (options: SqliteOptions): Promise<Store> => {
  const store = await openSqliteStore(options);
  onTestFinished(() => store.close());
  return store;
};

/** A store with one row, in a folder everybody may read. */
const setUp = async (): Promise<{ path: string; store: Store }> => {
  const folder = scratch();
  fs.chmodSync(folder, 0o755);
  const path = join(folder, 'colibri.db');
  const store = await open({ path });
  await store.migrate(async () => {});
  await store.write((tx) => tx.run('INSERT INTO tiles VALUES (?, 0, 7, ?)', 'log', 'h'));
  return { path, store };
};

const asNobody = (path: string, mode: 'full' | 'read') => heard(startChild('open-as-nobody.mjs', [path, mode], NOBODY));

describe('a store open for reading only', () => {
  it('reads what others write, and writes nothing itself', async () => {
    const { path, store } = await setUp();
    const reading = await open({ path, readOnly: true });
    await reading.migrate(async () => {
      throw new Error('nothing to record');
    });
    expect(reading.tableCount).toBe(store.tableCount);
    const count = () => reading.read((tx) => tx.get('SELECT count(*) AS n FROM tiles'));
    expect(await count()).toEqual({ n: 1 });
    await store.write((tx) => tx.run('INSERT INTO tiles VALUES (?, 0, 8, ?)', 'log', 'h'));
    expect(await count()).toEqual({ n: 2 });
    const refused = { code: 'STORE_READ_ONLY', remedy: expect.any(String) };
    const id = '0192f0c1-0000-7000-8000-00000000000a';
    await expect(reading.write(async () => 1)).rejects.toMatchObject(refused);
    await expect(reading.backup()).rejects.toMatchObject(refused);
    await expect(reading.instances.hold(id)).rejects.toMatchObject(refused);
    await expect(reading.instances.forget(id)).rejects.toMatchObject(refused);
    await store.instances.hold(id);
    expect(await reading.instances.isAlive(id)).toBe(true);
    await reading.close();
    await reading.close();
    expect(reading.tableCount).toBe(0);
    await expect(count()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await store.instances.isAlive(id)).toBe(true);
  });

  it('needs a database, and one of our schema', async () => {
    const path = join(scratch(), 'none', 'colibri.db');
    const remedy = 'Start Colibri once in FULL mode.';
    const opening = openSqliteStore({ path, readOnly: true });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', remedy });
    expect(fs.existsSync(join(path, '..'))).toBe(false);

    const { path: older, store } = await setUp();
    await store.close();
    const more = { version: MIGRATIONS.length + 1, name: 'more', sql: 'CREATE TABLE more (x TEXT)' };
    const reading = await open({ path: older, readOnly: true, migrations: [...MIGRATIONS, more] });
    await expect(reading.migrate(async () => {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', remedy });
  });
});

describe.skipIf(process.getuid?.() !== 0)('where the folder cannot be written', () => {
  it('a settled database is read from memory, with a warning', async () => {
    const { path, store } = await setUp();
    await store.close();
    fs.chmodSync(path, 0o644);
    const before = fs.readFileSync(path);
    expect(await asNobody(path, 'read')).toEqual({
      rows: [7],
      write: 'STORE_READ_ONLY',
      warnings: [expect.stringContaining('cannot be written')],
    });
    expect(fs.readFileSync(path).equals(before)).toBe(true);
    expect(fs.readdirSync(join(path, '..'))).toEqual(['colibri.db']);
  });

  it('a living one is read where its log can be shared, and refused with the reason where not', async () => {
    const { path } = await setUp();
    fs.chmodSync(path, 0o644);
    expect(await asNobody(path, 'read')).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('write-ahead log'),
      remedy: expect.any(String),
    });
    for (const side of ['-wal', '-shm']) fs.chmodSync(path + side, 0o644);
    expect(await asNobody(path, 'read')).toMatchObject({ rows: [7], warnings: [] });
  });

  it('a file we may not read, and FULL mode, are STORE_UNAVAILABLE', async () => {
    const { path, store } = await setUp();
    await store.close();
    expect(await asNobody(path, 'read')).toMatchObject({ code: 'STORE_UNAVAILABLE', remedy: expect.any(String) });
    fs.chmodSync(path, 0o644);
    expect(await asNobody(path, 'full')).toMatchObject({ code: 'STORE_UNAVAILABLE', remedy: expect.any(String) });
    fs.chmodSync(path, 0o666);
    expect(await asNobody(path, 'full')).toMatchObject({ code: 'STORE_UNAVAILABLE', remedy: expect.any(String) });
  });

  it('nor is a file that SQLite would quietly open for reading taken for one we can write', async () => {
    const { path, store } = await setUp();
    await store.close();
    fs.chmodSync(path, 0o644);
    fs.chmodSync(join(path, '..'), 0o777);
    expect(await asNobody(path, 'full')).toMatchObject({ code: 'STORE_UNAVAILABLE', remedy: expect.any(String) });
  });
});
