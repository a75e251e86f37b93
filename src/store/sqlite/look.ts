// Inspects a database without changing it: whether it is Colibri's, its schema version, its size, and whether SQLite finds it damaged.
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
  /** The damage that SQLite reports for the database file; undefined if it reports none. */
  readonly damage: string | undefined;
  /** True if the whole file was checked for damage; false if it is too large and only the table of logs was checked. */
  readonly isWhole: boolean;
}

/** The version of SQLite. Calling this loads SQLite's native module. */
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

/**
 * Inspects the database at a path. Throws for a database that is not Colibri's or is newer. Checks the whole file for damage if it has at
 * most `mostBytes`.
 */
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
    return undefined; // this user may only read the database, or not even that
  }
};

/**
 * Opens a writable connection and returns a function that closes it. A read-only connection to an idle store leaves two empty files beside
 * it, which a writable connection removes if it closes last. So call this before other connections are opened, and its result after they
 * are closed.
 */
export const holdTidy = (path: string): (() => void) => {
  const db = openWritable(path);
  return () => db?.close();
};
