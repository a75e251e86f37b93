// Makes one statement of a guarded insert: the guard is an UPDATE, and the rows are inserted only if it changed its row. Rows go as one array for
// each column, so that the text does not depend on their number.

import type { GuardedInsert, InsertedRows, ReadTx, SqlValue } from '../store.js';

/** The types of the columns of each table. */
export type ColumnTypes = ReadonlyMap<string, string>;

const TYPES = `SELECT c.relname::text AS table, a.attname::text AS column, format_type(a.atttypid, NULL) AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`;

export const columnTypes = async (tx: ReadTx): Promise<ColumnTypes> => {
  const rows = await tx.all<{ table: string; column: string; type: string }>(TYPES);
  return new Map(rows.map(({ table, column, type }) => [`${table} ${column}`, type]));
};

export interface OneStatement {
  readonly sql: string;
  readonly values: readonly (SqlValue | readonly SqlValue[])[];
}

const insertText = ({ table, columns }: InsertedRows, types: ColumnTypes, at: number): string => {
  const arrays = columns.map((column) => `?::${types.get(`${table} ${column}`) ?? 'text'}[]`).join(', ');
  return `part${at} AS (INSERT INTO ${table} (${columns.join(', ')}) SELECT part.* FROM guard, unnest(${arrays}) AS part)`;
};

/** The statement; its result is one row with the number of rows that the guard changed. */
export const oneStatement = ({ guard, inserts }: GuardedInsert, types: ColumnTypes): OneStatement => ({
  sql: `WITH guard AS (${guard.sql} RETURNING 1), ${inserts.map((insert, i) => insertText(insert, types, i)).join(', ')}
    SELECT count(*) AS changed FROM guard`,
  values: [
    ...guard.params,
    ...inserts.flatMap(({ columns, rows }) => columns.map((_, column) => rows.map((row) => row[column] ?? null))),
  ],
});
