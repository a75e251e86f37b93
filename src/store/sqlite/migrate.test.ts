import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heard, scratch, startChild } from '../../../test/children/start.js';
import type { Migration, MigrationStep, Store } from '../store.js';
import { checksumOf } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqliteStore } from './open.js';

/** A schema of two versions that does not depend on the real migrations. */
const FIRST = MIGRATIONS.slice(0, 1);
const NEXT: readonly Migration[] = [
  ...FIRST,
  { version: 2, name: 'more', sql: 'CREATE TABLE more (x TEXT); CREATE TABLE most (y TEXT)' },
];

const open = async (path: string, migrations: readonly Migration[] = FIRST): Promise<Store> => {
  const store = await openSqliteStore({ path, migrations });
  onTestFinished(() => store.close());
  return store;
};

const insertLog = `INSERT INTO logs VALUES (1, 'l', 'node', 'key', 1, 0, '', '', NULL)`;

/** A store with one log at the released schema, closed again. */
const released = async (): Promise<string> => {
  const path = join(scratch(), 'colibri.db');
  const store = await open(path);
  await store.migrate(async () => {});
  await store.write((tx) => tx.run(insertLog));
  await store.close();
  return path;
};

const versionIn = (path: string): unknown => {
  const db = new Database(path, { readonly: true });
  try {
    return db.pragma('user_version', { simple: true });
  } finally {
    db.close();
  }
};

describe('the migrations', () => {
  it('are numbered from 1 without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, at) => at + 1));
  });

  it('use no type but TEXT and INTEGER', async () => {
    const store = await open(join(scratch(), 'colibri.db'), MIGRATIONS);
    await store.migrate(async () => {});
    const columns = await store.read((tx) =>
      tx.all(`SELECT DISTINCT c.type FROM sqlite_schema s, pragma_table_info(s.name) c
              WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' ORDER BY c.type`),
    );
    expect(columns).toEqual([{ type: 'INTEGER' }, { type: 'TEXT' }]);
  });

  it('let one log be open for each node', async () => {
    const store = await open(await released());
    const second = insertLog.replace(`1, 'l'`, `2, 'm'`);
    await expect(store.write((tx) => tx.run(second))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' });
    expect(await store.write((tx) => tx.run(second.replace('NULL', `'now'`)))).toBe(1);
  });
});

describe('migrate', () => {
  it('records all steps at once, after the last, from nothing without a backup', async () => {
    const path = join(scratch(), 'colibri.db');
    const store = await open(path, NEXT);
    expect(store.tableCount).toBe(0);
    const steps: MigrationStep[] = [];
    await store.migrate(async (tx, all) => {
      steps.push(...all);
      await tx.run('INSERT INTO more VALUES (?)', 'of the last step');
    });
    expect(steps).toEqual(
      NEXT.map((migration) => ({
        from: migration.version - 1,
        to: migration.version,
        checksum: checksumOf(migration),
      })),
    );
    expect(store.tableCount).toBe(7);
    expect(fs.existsSync(`${path}.backups`)).toBe(false);
  });

  it('makes a backup of the old version first and raises logs.format', async () => {
    const path = await released();
    const store = await open(path, NEXT);
    expect(store.tableCount).toBe(5);
    await store.migrate(async () => {});
    expect(await store.read((tx) => tx.get('SELECT format FROM logs'))).toEqual({ format: 2 });
    const [copy = ''] = fs.readdirSync(`${path}.backups`);
    expect(copy).toMatch(/-v1\.db$/);
    expect(versionIn(join(`${path}.backups`, copy))).toBe(1);
  });

  it('leaves the old version when the record fails', async () => {
    const path = await released();
    const store = await open(path, NEXT);
    const failing = store.migrate(async (tx) => {
      await tx.run('INSERT INTO more VALUES (?)', 'x');
      throw new Error('no record');
    });
    await expect(failing).rejects.toThrow('no record');
    expect(store.tableCount).toBe(5);
    expect(await store.read((tx) => tx.get('SELECT format FROM logs'))).toEqual({ format: 1 });
    await store.close();
    expect(versionIn(path)).toBe(1);
  });

  it('leaves an empty database when the first step fails', async () => {
    const path = join(scratch(), 'colibri.db');
    const store = await open(path, [{ version: 1, name: 'bad', sql: 'CREATE TABLE a (x TEXT); CREATE TABLE a (x)' }]);
    await expect(store.migrate(async () => {})).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    await store.close();
    const again = await open(path);
    expect(again.tableCount).toBe(0);
    await again.migrate(async () => {});
    expect(again.tableCount).toBe(5);
  });

  it('does nothing where no backup can be made', async () => {
    const path = await released();
    fs.writeFileSync(`${path}.backups`, 'in the way');
    const store = await open(path, NEXT);
    await expect(store.migrate(async () => {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await store.close();
    expect(versionIn(path)).toBe(1);
  });

  it('finds out under the lock that a newer Colibri was faster', async () => {
    const path = await released();
    const store = await open(path);
    const newer = await open(path, NEXT);
    await newer.migrate(async () => {});
    await expect(store.migrate(async () => {})).rejects.toMatchObject({ code: 'STORE_UPGRADED' });
  });

  it('is done by one of four processes that race', async () => {
    const path = join(scratch(), 'colibri.db');
    const children = [1, 2, 3, 4].map(() => startChild('migrate-store.mjs', [path]));
    await Promise.all(children.map((child) => heard(child)));
    const results = children.map((child) => heard<{ steps: number[]; tables: number }>(child));
    for (const child of children) child.send('go');
    const done = await Promise.all(results);
    expect(done.map(({ steps }) => steps.length).sort()).toEqual([0, 0, 0, MIGRATIONS.length]);
    const store = await open(path, MIGRATIONS);
    expect(done.map(({ tables }) => tables)).toEqual(Array(4).fill(store.tableCount));
    const recorded = await store.read((tx) => tx.all('SELECT idx FROM tiles ORDER BY idx'));
    expect(recorded).toEqual(MIGRATIONS.map(({ version }) => ({ idx: version })));
  });
});
