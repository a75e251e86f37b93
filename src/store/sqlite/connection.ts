// One connection and its prepared statements. Texts are few (SQL is written, never glued from values), so the
// cache needs no bound.

import Database from 'better-sqlite3';
import { fromSqlite } from './errors.js';
import { assertPlainFiles, realPath } from './identity.js';

export type Statement = Database.Statement<unknown[], unknown>;

export interface Connection {
  readonly db: Database.Database;
  /** The prepared form of a query, made once. Refuses what would take the transaction out of our hands. */
  statement(sql: string): Statement;
}

/**
 * A database file may come with somebody's repository. Its schema gets no functions that could do harm, its pages are checked as they
 * are read, and defensive mode keeps SQL from rewriting the schema behind the engine's back.
 */
const harden = (db: Database.Database): Database.Database => {
  db.unsafeMode(false); // which is what better-sqlite3 calls defensive mode
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  return db;
};

const IN_MEMORY = ':memory:';

/** Never waits inside SQLite unless told to: patience is ours (patience.ts). Links are resolved, and only files are opened. */
export const openDatabase = (path: string, options: Database.Options = {}): Database.Database => {
  const real = path === IN_MEMORY ? path : realPath(path);
  if (path !== IN_MEMORY) assertPlainFiles(real);
  try {
    return harden(new Database(real, { timeout: 0, ...options }));
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
};

/** A database out of bytes that were read before. */
export const openBytes = (bytes: Buffer): Database.Database => harden(new Database(bytes, { readonly: true }));

const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(\w+)/;
const NOT_FOR_TRANSACTIONS = /^(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|ATTACH|DETACH|VACUUM)$/i;

/** A COMMIT from inside would split what must be one; a PRAGMA or ATTACH would outlive it. */
const checkKind = (sql: string): void => {
  const word = FIRST_WORD.exec(sql)?.[1] ?? '';
  if (NOT_FOR_TRANSACTIONS.test(word)) throw new TypeError(`${word} is not allowed inside a transaction function`);
};

export const connection = (db: Database.Database, mayWrite: boolean): Connection => {
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    checkKind(sql);
    const made = db.prepare<unknown[], unknown>(sql);
    if (!mayWrite && !made.readonly) throw new TypeError('a read must not write');
    statements.set(sql, made);
    return made;
  };
  return { db, statement: (sql) => statements.get(sql) ?? prepare(sql) };
};
