// Reads the store synchronously on a connection of its own, in short read transactions (snapshots), so that writers never wait and
// rows are compared with their records as of one moment.
import { openDatabase, type Statement } from '../store/sqlite/tx.js';
import type { VerifyEngine } from './engine/engine.js';
import { openPostgresReader } from './engine/postgres-reader.js';
import { sqliteEngine } from './engine/sqlite.js';

export type Value = string | number | null;

/** Reads in one snapshot of the store. Values have the types in which they are stored, so comparisons also compare types. */
export interface StoreReading {
  /** The questions whose statements differ from engine to engine. */
  readonly engine: VerifyEngine;
  get<T = Record<string, unknown>>(sql: string, ...params: Value[]): T | undefined;
  all<T = Record<string, unknown>>(sql: string, ...params: Value[]): T[];
}

/** Reads in one snapshot; can also return rows as arrays, which is faster for reading every record. */
export interface StoreSnapshot extends StoreReading {
  rows(sql: string, ...params: Value[]): unknown[][];
}

/** Where a store is. */
export interface StoreSource {
  /** The path of the SQLite file; for another engine, the name of the store as it is shown, without secrets. */
  readonly path: string;
  /** The address of a PostgreSQL database. */
  readonly url?: string | undefined;
}

export interface StoreReader {
  readonly engine: VerifyEngine;
  snapshot<T>(fn: (tx: StoreSnapshot) => T): T;
  close(): void;
}

type Database = ReturnType<typeof openDatabase>;

const prepared = (prepare: (sql: string) => Statement): ((sql: string) => Statement) => {
  const made = new Map<string, Statement>();
  return (sql) => {
    const statement = made.get(sql) ?? prepare(sql);
    made.set(sql, statement);
    return statement;
  };
};

const readerOf = (db: Database): StoreReader => {
  const named = prepared((sql) => db.prepare<unknown[], unknown>(sql));
  const raw = prepared((sql) => db.prepare<unknown[], unknown>(sql).raw());
  const tx: StoreSnapshot = {
    engine: sqliteEngine,
    get: <T>(sql: string, ...params: Value[]) => named(sql).get(...params) as T | undefined,
    all: <T>(sql: string, ...params: Value[]) => named(sql).all(...params) as T[],
    rows: (sql, ...params) => raw(sql).all(...params) as unknown[][],
  };
  return {
    engine: sqliteEngine,
    snapshot: (fn) => db.transaction(() => fn(tx))(),
    close: () => db.close(),
  };
};

const openFile = (path: string, waitMs: number): StoreReader => {
  const db = openDatabase(path, { readonly: true, fileMustExist: true });
  db.pragma(`busy_timeout = ${waitMs}`);
  return readerOf(db);
};

/** Opens a store for reading. `waitMs`: the most milliseconds to wait while another process recovers a SQLite file. */
export const openReader = ({ path, url }: StoreSource, waitMs = 0): StoreReader =>
  url === undefined ? openFile(path, waitMs) : openPostgresReader(url);
