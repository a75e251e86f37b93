// Measures how large a database is and how much of it is unused, and returns unused space to the disk.
import type Database from 'better-sqlite3';
import { fromSqlite } from './errors.js';
import { openDatabase } from './tx.js';

export interface Space {
  readonly bytes: number;
  /** The bytes of the file's unused pages, which SQLite uses before the file grows. */
  readonly free: number;
}

const numberOf = (db: Database.Database, name: string): number => db.pragma(name, { simple: true }) as number;

export const spaceOf = (db: Database.Database): Space => {
  const page = numberOf(db, 'page_size');
  return { bytes: page * numberOf(db, 'page_count'), free: page * numberOf(db, 'freelist_count') };
};

const using = <T>(path: string, readonly: boolean, use: (db: Database.Database) => T): T => {
  const db = openDatabase(path, { readonly, fileMustExist: true });
  try {
    return use(db);
  } catch (thrown) {
    throw fromSqlite(thrown);
  } finally {
    db.close();
  }
};

export const spaceIn = (path: string): Space => using(path, true, spaceOf);

/** Rewrites the database file without its unused pages. Holds the write lock meanwhile, so no Colibri server may run. */
export const compactDatabase = (path: string): Space =>
  using(path, false, (db) => {
    db.exec('VACUUM');
    db.pragma('wal_checkpoint(TRUNCATE)');
    return spaceOf(db);
  });
