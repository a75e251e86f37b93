// SQL about a store that is being moved: what the target holds already.
import type { Row, Tx } from '../../store/store.js';

export const hasIdentity = async (tx: Pick<Tx, 'get'>): Promise<boolean> =>
  (await tx.get('SELECT store_id FROM identity')) !== undefined;

export const countRows = async (tx: Pick<Tx, 'get'>, table: string): Promise<number> =>
  (await tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n ?? 0;

/** Sets the numbers that a server gives to logs and tasks behind the highest ones that were copied. A file does that by itself. */
export const raiseNumbers = async (tx: Pick<Tx, 'get'>): Promise<void> => {
  for (const [table, column] of [
    ['logs', 'no'],
    ['tasks', 'n'],
  ]) {
    const row = await tx.get<Row & { most: number | null }>(`SELECT MAX(${column}) AS most FROM ${table}`);
    if (row?.most != null)
      await tx.get(
        `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), CAST(? AS bigint)) AS given`,
        row.most,
      );
  }
};
