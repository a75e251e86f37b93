// A look at a database that changes nothing: whose it is, which schema it has, what the engine says of the file.
import type Database from 'better-sqlite3';
import { fromSqlite } from './errors.js';
import { inspect, isSettled, newestOf } from './file.js';
import { assertPlainFiles, realPath } from './identity.js';
import { MIGRATIONS } from './migrations/index.js';
import { type Space, spaceOf } from './space.js';
import { openDatabase } from './tx.js';

export interface Look {
  readonly version: number;
  /** What this program reads and writes. */
  readonly newest: number;
  readonly space: Space;
  /** What the engine finds wrong with the file. */
  readonly damage: string | undefined;
  /** False: the file was too large, and only the table of logs was checked. */
  readonly isWhole: boolean;
}

/** Loads the native part. */
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

/** Refuses files of others and newer stores as opening them would. The whole file is checked up to `mostBytes`. */
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

const join = (path: string): Database.Database | undefined => {
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
 * Whoever only reads a store that nobody uses leaves two empty files beside it; a connection that could write takes them
 * along when it is the last to close. Call it before any other look, and what it returns after the last.
 */
export const holdTidy = (path: string): (() => void) => {
  const db = join(path);
  return () => db?.close();
};
