// Inspects a database without changing it: whether it is ours, its schema version, its size, and whether SQLite finds it damaged.
import type Database from 'better-sqlite3';
import { fromSqlite } from './errors.js';
import { inspect, isSettled, newestOf } from './file.js';
import { assertPlainFiles, realPath } from './identity.js';
import { MIGRATIONS } from './migrations/index.js';
import { type Space, spaceOf } from './space.js';
import { openDatabase } from './tx.js';

export interface Look {
  readonly version: number;
  /** The newest schema version that this program knows. */
  readonly newest: number;
  readonly space: Space;
  /** What SQLite finds wrong with the file. */
  readonly damage: string | undefined;
  /** False: the file is large, and only the table of logs was checked. */
  readonly isWhole: boolean;
}

/** The version of SQLite; this loads the native module. */
export const engineVersion = (): string => {
  const db = openDatabase(':memory:');
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    db.close();
  }
};

const damageIn = (db: Database.Database, isWhole: boolean): string | undefined => {
  const verdict = db.pragma(isWhole ? 'quick_check(1)' : 'quick_check(logs)', { simple: true });
  return verdict === 'ok' ? undefined : String(verdict);
};

/** Refuses foreign files and newer stores, as opening them would. Checks the whole file if it has at most `mostBytes`. */
export const lookInto = (path: string, mostBytes: number): Look => {
  const newest = newestOf(MIGRATIONS);
  const db = openDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const { version } = inspect(db, MIGRATIONS);
    const space = spaceOf(db);
    const isWhole = space.bytes <= mostBytes || version === 0;
    return { version, newest, space, damage: damageIn(db, isWhole), isWhole };
  } catch (thrown) {
    throw fromSqlite(thrown);
  } finally {
    db.close();
  }
};

const openWritable = (path: string): Database.Database | undefined => {
  try {
    assertPlainFiles(realPath(path));
    if (!isSettled(realPath(path))) return undefined;
    const db = openDatabase(path, { fileMustExist: true });
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return db;
  } catch {
    return undefined; // it can only be read, or not even that
  }
};

/**
 * A read-only connection to an idle store leaves two empty files beside it; a writable connection removes them if it is the last to close. So
 * call this before other connections are opened, and call what it returns after they are closed.
 */
export const holdTidy = (path: string): (() => void) => {
  const db = openWritable(path);
  return () => db?.close();
};
