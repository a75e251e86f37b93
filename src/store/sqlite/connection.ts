// One connection and its prepared statements. Texts are few (SQL is written, never glued from values), so the
// cache needs no bound.

import Database from 'better-sqlite3';
import { fromSqlite } from './errors.js';

export type Statement = Database.Statement<unknown[], unknown>;

export interface Connection {
  readonly db: Database.Database;
  /** The prepared form of a query, made once. Refuses what would take the transaction out of our hands. */
  statement(sql: string): Statement;
}

/** Never waits inside SQLite: patience is ours (patience.ts). */
export const openDatabase = (path: string, options: Database.Options = {}): Database.Database => {
  try {
    return new Database(path, { ...options, timeout: 0 });
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
};

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
