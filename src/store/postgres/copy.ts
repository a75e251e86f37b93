// Copies all rows of a store from one engine to another, table by table in the order in which rows may refer to each other. Both have the same
// tables and columns, which a test compares.

import { STORE_LIMITS } from '../limits.js';
import type { ReadTx, Row, SqlValue, Tx } from '../store.js';

/** A table and the columns of its key, by which it is read in parts. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const after = ({ name, columns, key }: CopiedTable, last: Row | undefined): { sql: string; params: SqlValue[] } => {
  const marks = key.map(() => '?').join(', ');
  const beyond = last === undefined ? '' : `WHERE (${key.join(', ')}) > (${marks}) `;
  return {
    sql: `SELECT ${columns.join(', ')} FROM ${name} ${beyond}ORDER BY ${key.join(', ')} LIMIT ?`,
    params: [...(last === undefined ? [] : key.map((column) => last[column] ?? null)), STORE_LIMITS.copyRows],
  };
};

/** The rows of a table that follow a row (undefined: from the first one), at most `STORE_LIMITS.copyRows`. */
export const readPart = (tx: ReadTx, table: CopiedTable, last: Row | undefined): Promise<Row[]> => {
  const { sql, params } = after(table, last);
  return tx.all(sql, ...params);
};

/** The last row of a table in the order of its key; undefined if the table is empty. */
export const lastRow = (tx: ReadTx, { name, key }: CopiedTable): Promise<Row | undefined> =>
  tx.get(`SELECT ${key.join(', ')} FROM ${name} ORDER BY ${key.map((column) => `${column} DESC`).join(', ')} LIMIT 1`);

/** Reads a table in parts from one snapshot, and gives each part to `take`. */
export const readTable = async (
  tx: ReadTx,
  table: CopiedTable,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<void> => {
  for (let last: Row | undefined; ; ) {
    const rows = await readPart(tx, table, last);
    if (rows.length > 0) await take(rows);
    last = rows.at(-1);
    if (rows.length < STORE_LIMITS.copyRows) return;
  }
};

export const insertRows = (tx: Tx, { name, columns }: CopiedTable, rows: readonly Row[]): Promise<void> =>
  tx.runMany(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
  );

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rootpage";
const COLUMNS = 'SELECT name, pk FROM pragma_table_info(?) ORDER BY cid';
/** The columns of the unique indexes of a table, for tables without a primary key. */
const UNIQUE = `SELECT i.name AS key, c.name AS name FROM pragma_index_list(?) i, pragma_index_info(i.name) c
  WHERE i."unique" = 1 AND i.partial = 0 ORDER BY i.seq, c.seqno`;

/** What tells the rows of a table apart: its primary key, else its first unique index. */
const keyOf = async (tx: ReadTx, name: string, columns: readonly { name: string; pk: number }[]): Promise<string[]> => {
  const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (primary.length > 0) return primary.map((column) => column.name);
  const unique = await tx.all<{ key: string; name: string }>(UNIQUE, name);
  const first = unique.filter(({ key }) => key === unique[0]?.key);
  if (first.length === 0) throw new Error(`the table ${name} has no key: it cannot be copied in parts`);
  return first.map((column) => column.name);
};

/** The tables of a store on SQLite in the order of their creation: no row refers to a table that comes later. */
export const tablesOfFile = async (tx: ReadTx): Promise<readonly CopiedTable[]> => {
  const tables: CopiedTable[] = [];
  for (const { name } of await tx.all<{ name: string }>(TABLES)) {
    const columns = await tx.all<{ name: string; pk: number }>(COLUMNS, name);
    const key = await keyOf(tx, name, columns);
    tables.push({ name, columns: columns.map((column) => column.name), key });
  }
  return tables;
};
