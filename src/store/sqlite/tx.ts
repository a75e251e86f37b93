// Makes the `tx` that a transaction function gets: usable only while that function runs and SQLite still has the transaction open. Also
// opens connections.

import Database from 'better-sqlite3';
import type { NowTx, Row, SqlValue, Tx } from '../store.js';
import { assertForTransaction, bindable, readable } from '../values.js';
import { fromSqlite } from './errors.js';
import { assertPlainFiles, realPath } from './identity.js';
import { assertNoJournal } from './rollback-journal.js';

interface Scope {
  readonly tx: Tx & { readonly now: NowTx };
  /** Throws if SQLite has ended the transaction, even if the transaction function caught the error that reported it. */
  assertAlive(): void;
  end(): void;
}

const getRow = (made: Statement, bound: readonly SqlValue[]): Row | undefined => {
  const row = made.get(...bound) as Row | undefined;
  return row === undefined ? undefined : readable(row);
};

const runOnce = (made: Statement, bound: readonly SqlValue[]): number => made.run(...bound).changes;

const openScope = ({ db, statement }: SqliteConnection): Scope => {
  let ended = false;
  let lost: unknown;

  const assertAlive = (): void => {
    if (ended) throw new Error('this transaction is over: its tx was used after its function had ended');
    // Outside of a transaction the next statement would commit by itself.
    if (!db.inTransaction) throw lost ?? new Error('this transaction was ended from outside');
  };

  const perform = <T>(
    sql: string,
    params: readonly SqlValue[],
    act: (made: Statement, bound: readonly SqlValue[]) => T,
  ): T => {
    assertAlive();
    try {
      return act(statement(sql), bindable(params));
    } catch (thrown) {
      const error = fromSqlite(thrown);
      // The errors FULL, IOERR, NOMEM and BUSY may end the whole transaction.
      if (!db.inTransaction) lost ??= error;
      throw error;
    }
  };

  const now: NowTx = {
    get: <T extends Row>(sql: string, ...params: SqlValue[]) => perform(sql, params, getRow) as T | undefined,
    run: (sql, ...params) => perform(sql, params, runOnce),
    runMany: (sql, rows) =>
      perform(sql, [], (made) => {
        for (const row of rows) made.run(...bindable(row));
      }),
  };
  const tx: Tx & { readonly now: NowTx } = {
    now,
    get: async <T extends Row>(sql: string, ...params: SqlValue[]) => now.get<T>(sql, ...params),
    all: async <T extends Row>(sql: string, ...params: SqlValue[]) =>
      perform(sql, params, (made, bound) => (made.all(...bound) as T[]).map(readable)),
    run: async (sql, ...params) => now.run(sql, ...params),
    runMany: async (sql, rows) => now.runMany(sql, rows),
  };

  return {
    tx,
    assertAlive,
    end: () => {
      ended = true;
    },
  };
};

/**
 * Runs `start`; rejects if it needs more than microtasks. Calls of `tx` resolve in microtasks, so a function that is still pending in the
 * next turn of the event loop has awaited something else while holding the write lock.
 */
const withinOneTurn = <T>(start: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Immediate | undefined;
  // The immediate that rejects is set before `start` runs, so that it fires before any immediate that `start` sets.
  const outlived = new Promise<never>((_, reject) => {
    timer = setImmediate(() => reject(new Error('a transaction function may await only calls of its tx')));
  });
  return Promise.race([start(), outlived]).finally(() => clearImmediate(timer));
};

export interface UseOptions {
  readonly checkAwaits: boolean;
}

/** Runs `fn` with a `tx` that is valid only during that run. The caller begins and ends the transaction. */
export const useTx = async <T>(
  connection: SqliteConnection,
  fn: (tx: Tx) => Promise<T>,
  { checkAwaits }: UseOptions,
): Promise<T> => {
  const scope = openScope(connection);
  try {
    const start = async () => fn(scope.tx); // turns a synchronous throw into a rejection
    const value = await (checkAwaits ? withinOneTurn(start) : start());
    scope.assertAlive();
    return value;
  } finally {
    scope.end();
  }
};

/** Like `useTx`, for a function that needs no promise. */
export const useNow = <T>(connection: SqliteConnection, fn: (tx: NowTx) => T): T => {
  const scope = openScope(connection);
  try {
    const value = fn(scope.tx.now);
    scope.assertAlive();
    return value;
  } finally {
    scope.end();
  }
};

// A connection and its prepared statements. SQL texts are constants and therefore few, so the cache of statements needs no bound.

export type Statement = Database.Statement<unknown[], unknown>;

export interface SqliteConnection {
  readonly db: Database.Database;
  /** The prepared statement of a query, cached. Throws for statements that would end or outlast the transaction. */
  statement(sql: string): Statement;
}

/**
 * Restricts what a connection accepts, because a database file may have come with a repository: its schema may not call dangerous
 * functions, its pages are checked as they are read, and defensive mode keeps SQL from rewriting the schema directly.
 */
const harden = (db: Database.Database): Database.Database => {
  db.unsafeMode(false); // better-sqlite3's name for defensive mode
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  return db;
};

const IN_MEMORY = ':memory:';

/**
 * Opens a connection to a database after resolving its links, and refuses special files and rollback journals. The connection does not wait
 * for locks inside SQLite unless told to: queue.ts retries.
 */
export const openDatabase = (path: string, options: Database.Options = {}): Database.Database => {
  const real = path === IN_MEMORY ? path : realPath(path);
  if (path !== IN_MEMORY) {
    assertPlainFiles(real);
    assertNoJournal(real);
  }
  try {
    return harden(new Database(real, { timeout: 0, ...options }));
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
};

/** Opens a read-only database from bytes in memory. */
export const openBytes = (bytes: Buffer): Database.Database => harden(new Database(bytes, { readonly: true }));

export const connection = (db: Database.Database, mayWrite: boolean): SqliteConnection => {
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    assertForTransaction(sql);
    const made = db.prepare<unknown[], unknown>(sql);
    if (!mayWrite && !made.readonly) throw new TypeError('a read must not write');
    statements.set(sql, made);
    return made;
  };
  return { db, statement: (sql) => statements.get(sql) ?? prepare(sql) };
};
