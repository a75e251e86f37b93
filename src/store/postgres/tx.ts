// Makes the `tx` that a transaction function gets: usable only while that function runs. A statement that fails ends PostgreSQL's transaction,
// while the port lets a function catch the error and go on: then the function runs again, with a savepoint around each statement.

import type pg from 'pg';
import type { Row, SqlValue, Tx } from '../store.js';
import { bindable, readable } from '../values.js';
import { fromConnection, stateOf } from './errors.js';
import type { PreparedText } from './statement.js';

/** Says that a function went on after a statement that failed, so it must run again with savepoints. */
export class NeedsSavepoints extends Error {}

/** The server's clock, in the form of all times in the store. */
export const SERVER_TIME = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`;

/** The time in the last of the answers with which a transaction began. */
export const serverTime = (answers: readonly pg.QueryResult[]): string => String(answers.at(-1)?.rows[0]?.now);

export interface ServerTransaction {
  readonly client: pg.ClientBase;
  readonly translate: (sql: string) => PreparedText;
  /** If true, a statement that fails is undone alone. */
  readonly savepoints: boolean;
}

interface ServerScope {
  readonly tx: Tx;
  /** Throws if the function must run again. */
  assertWhole(): void;
  end(): void;
}

const openServerScope = ({ client, translate, savepoints }: ServerTransaction): ServerScope => {
  let ended = false;
  let hasFailed = false;

  const assertAlive = (): void => {
    if (ended) throw new Error('this transaction is over: its tx was used after its function had ended');
    if (hasFailed) throw new NeedsSavepoints('a statement failed, and the function went on');
  };

  const guarded = async (send: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> => {
    const [, answer] = await Promise.allSettled([client.query('SAVEPOINT statement'), send()]);
    if (answer.status === 'fulfilled') {
      await client.query('RELEASE statement');
      return answer.value;
    }
    if (stateOf(answer.reason) !== undefined) await client.query('ROLLBACK TO statement; RELEASE statement');
    throw answer.reason;
  };

  const perform = async (sql: string, params: readonly SqlValue[]): Promise<pg.QueryResult> => {
    assertAlive();
    const { text, name } = translate(sql);
    const values = [...bindable(params)];
    const send = (): Promise<pg.QueryResult> => client.query({ text, name, values });
    try {
      return await (savepoints ? guarded(send) : send());
    } catch (thrown) {
      hasFailed = !savepoints;
      throw fromConnection(thrown);
    }
  };

  const tx: Tx = {
    get: async <T extends Row = Row>(sql: string, ...params: SqlValue[]) => {
      const [row] = (await perform(sql, params)).rows as T[];
      return row === undefined ? undefined : readable(row);
    },
    all: async <T extends Row = Row>(sql: string, ...params: SqlValue[]) =>
      ((await perform(sql, params)).rows as T[]).map(readable),
    run: async (sql, ...params) => (await perform(sql, params)).rowCount ?? 0,
    runMany: async (sql, rows) => {
      for (const row of rows) bindable(row);
      // All are sent before the first answer comes.
      const sent = await Promise.allSettled(rows.map((row) => perform(sql, row)));
      const failed = sent.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };

  return {
    tx,
    assertWhole: () => {
      if (hasFailed) throw new NeedsSavepoints('a statement failed, and the function went on');
    },
    end: () => {
      ended = true;
    },
  };
};

/** Runs `fn` with a `tx` that is valid only during that run. The caller begins and ends the transaction. */
export const useServerTx = async <T>(open: ServerTransaction, fn: (tx: Tx) => Promise<T>): Promise<T> => {
  const scope = openServerScope(open);
  try {
    const value = await fn(scope.tx);
    scope.assertWhole();
    return value;
  } finally {
    scope.end();
  }
};
