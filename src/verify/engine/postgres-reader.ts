// Reads a PostgreSQL store without promises, as the code of a verification does.
import { BlockingConnection } from '../../store/postgres/blocking.js';
import type { StoreReader, StoreSnapshot, Value } from '../reading.js';
import { postgresEngine } from './postgres.js';

/** Opens a connection to a PostgreSQL store for reading. Each snapshot is one transaction, REPEATABLE READ and READ ONLY. */
export const openPostgresReader = (url: string): StoreReader => {
  const connection = new BlockingConnection(url);
  const query = (sql: string, params: readonly Value[], asArrays = false): readonly unknown[] =>
    connection.ask({ kind: 'query', sql, params, asArrays });
  const tx: StoreSnapshot = {
    engine: postgresEngine,
    get: <T>(sql: string, ...params: Value[]) => query(sql, params)[0] as T | undefined,
    all: <T>(sql: string, ...params: Value[]) => query(sql, params) as T[],
    rows: (sql, ...params) => query(sql, params, true) as unknown[][],
  };
  return {
    engine: postgresEngine,
    snapshot: (fn) => {
      try {
        return fn(tx);
      } finally {
        connection.tell({ kind: 'end' });
      }
    },
    close: () => connection.tell({ kind: 'close' }),
  };
};
