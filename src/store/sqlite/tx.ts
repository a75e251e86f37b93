// The `tx` a transaction function is handed: usable only while that function runs and only while SQLite still
// has the transaction.

import type { Row, SqlValue, Tx } from '../store.js';
import type { Connection, Statement } from './connection.js';
import { fromSqlite } from './errors.js';
import { bindable, readable } from './values.js';

interface Scope {
  readonly tx: Tx;
  /** Throws if SQLite dropped the transaction, even where the function caught the error that said so. */
  assertAlive(): void;
  end(): void;
}

const openScope = ({ db, statement }: Connection): Scope => {
  let ended = false;
  let lost: unknown;

  const assertAlive = (): void => {
    if (ended) throw new Error('this transaction is over: its tx was used after its function had ended');
    // Without this check the next statement would commit by itself.
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
      // FULL, IOERR, NOMEM and BUSY may take the whole transaction with them.
      if (!db.inTransaction) lost ??= error;
      throw error;
    }
  };

  const tx: Tx = {
    get: async <T extends Row>(sql: string, ...params: SqlValue[]) =>
      perform(sql, params, (made, bound) => {
        const row = made.get(...bound) as T | undefined;
        return row === undefined ? undefined : readable(row);
      }),
    all: async <T extends Row>(sql: string, ...params: SqlValue[]) =>
      perform(sql, params, (made, bound) => (made.all(...bound) as T[]).map(readable)),
    run: async (sql, ...params) => perform(sql, params, (made, bound) => made.run(...bound).changes),
    runMany: async (sql, rows) => {
      for (const row of rows) perform(sql, row, (made, bound) => made.run(...bound));
    },
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
 * Rejects when `start` needs more than microtasks. Calls of `tx` resolve in microtasks, so whatever is still
 * pending when the event loop comes round has awaited something else, with the write lock in its hands.
 */
const withinOneTurn = <T>(start: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Immediate | undefined;
  // Set before the function runs, so that it comes before any immediate of its own.
  const outlived = new Promise<never>((_, reject) => {
    timer = setImmediate(() => reject(new Error('a transaction function may await only calls of its tx')));
  });
  return Promise.race([start(), outlived]).finally(() => clearImmediate(timer));
};

export interface UseOptions {
  readonly checkAwaits: boolean;
}

/** Runs `fn` on a tx that dies with it. The caller begins and ends the transaction itself. */
export const useTx = async <T>(
  connection: Connection,
  fn: (tx: Tx) => Promise<T>,
  { checkAwaits }: UseOptions,
): Promise<T> => {
  const scope = openScope(connection);
  try {
    const start = async () => fn(scope.tx); // one that throws at once is a rejection too
    const value = await (checkAwaits ? withinOneTurn(start) : start());
    scope.assertAlive();
    return value;
  } finally {
    scope.end();
  }
};
