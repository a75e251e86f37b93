// Changes of rows through SQL.
import Database from 'better-sqlite3';
import type { Random } from '../support/random.js';
import {
  addRow,
  allRows,
  anyRow,
  type Cells,
  columnsOf,
  type Db,
  EVIDENCE_TABLES,
  type Found,
  removeRow,
  rowAt,
  shown,
} from './tables.js';
import { alike, malformed, ofOtherType } from './values.js';

/** Changes the open store and says what it did; nothing where there is nothing to change. May break a constraint. */
export type RowChange = (db: Db, random: Random, older: readonly string[]) => string | undefined;

const anyTable = (random: Random): string => random.pick(EVIDENCE_TABLES);

const setCell = (db: Db, table: string, rowid: number, column: string, value: unknown): void => {
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, rowid);
};

/** One value of one row. */
export const editValue: RowChange = (db, random) => {
  const table = anyTable(random);
  const row = anyRow(db, table, random);
  if (row === undefined) return undefined;
  const column = random.pick(Object.keys(row.cells));
  const before = row.cells[column] ?? null;
  const neighbour = anyRow(db, table, random)?.cells ?? {};
  const after = random.pick([
    alike(before, random),
    alike(before, random),
    ofOtherType(before, random),
    neighbour[column] ?? null,
    random.pick(Object.values(row.cells)),
  ]);
  setCell(db, table, row.rowid, column, after);
  return `${table} ${row.rowid}: ${column} from ${shown(before)} to ${shown(after)}`;
};

/** Other bytes that read like the same text. */
export const editBytes: RowChange = (db, random) => {
  const table = anyTable(random);
  const rows = allRows(db, table).flatMap(({ rowid, cells }) =>
    Object.entries(cells).flatMap(([column, value]) => {
      const bytes = malformed(value);
      return bytes === undefined ? [] : [{ rowid, column, bytes }];
    }),
  );
  if (rows.length === 0) return undefined;
  const { rowid, column, bytes } = random.pick(rows);
  db.prepare(`UPDATE ${table} SET ${column} = CAST(? AS TEXT) WHERE rowid = ?`).run(bytes, rowid);
  return `${table} ${rowid}: ${column} in bytes that are no text`;
};

/** One row, a few, or all of a table. */
export const deleteRows: RowChange = (db, random) => {
  const table = anyTable(random);
  const count = random.pick([1, 1, 1, 1 + random.int(5), Number.POSITIVE_INFINITY]);
  const gone = allRows(db, table)
    .map(({ rowid }) => ({ rowid, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count);
  for (const { rowid } of gone) removeRow(db, table, rowid);
  return `${table}: without ${count === Number.POSITIVE_INFINITY ? 'any row' : gone.map(({ rowid }) => rowid)}`;
};

/** A copy of a row under another key, a few of its values changed too or all of them. */
export const insertRow: RowChange = (db, random) => {
  const table = anyTable(random);
  const row = anyRow(db, table, random);
  if (row === undefined) return undefined;
  const share = random.pick([0, 0.1, 1]);
  const cells: Cells = {};
  for (const { name, pk } of columnsOf(db, table)) {
    const value = row.cells[name] ?? null;
    const other = random.chance(0.15) ? ofOtherType : alike;
    cells[name] = pk > 0 || random.chance(share) ? other(value, random) : value;
  }
  addRow(db, table, cells);
  return `${table}: one row more, ${shown(JSON.stringify(cells))}`;
};

/** Values of two rows change places: one column, or some. */
export const swapValues: RowChange = (db, random) => {
  const table = anyTable(random);
  const [one, other] = [anyRow(db, table, random), anyRow(db, table, random)];
  if (one === undefined || other === undefined || one.rowid === other.rowid) return undefined;
  const columns = Object.keys(one.cells);
  const single = random.pick(columns);
  const some = random.chance(0.5) ? [single] : columns.filter(() => random.chance(0.5));
  const withThose = (mine: Cells, theirs: Cells): Cells =>
    Object.fromEntries(columns.map((column) => [column, (some.includes(column) ? theirs : mine)[column] ?? null]));
  for (const { rowid } of [one, other]) removeRow(db, table, rowid);
  addRow(db, table, withThose(one.cells, other.cells));
  addRow(db, table, withThose(other.cells, one.cells));
  return `${table}: ${some} of ${one.rowid} and ${other.rowid} swapped`;
};

const olderRows = (path: string, table: string): Found[] => {
  const db = new Database(path, { readonly: true });
  try {
    return allRows(db, table);
  } finally {
    db.close();
  }
};

const isSame = (one: Found, other: Found | undefined): boolean =>
  JSON.stringify(one.cells) === JSON.stringify(other?.cells);

/** One row as it was at an earlier moment. */
export const putRowBack: RowChange = (db, random, older) => {
  if (older.length === 0) return undefined;
  const table = random.pick([
    'tasks',
    'tasks',
    'leases',
    'sessions',
    'logs',
    'task_dependencies',
    'thoughts',
    'payloads',
  ]);
  const from = random.pick(older);
  const rows = olderRows(from, table).filter((row) => !isSame(row, rowAt(db, table, row.rowid)));
  if (rows.length === 0) return undefined;
  const row = random.pick(rows);
  removeRow(db, table, row.rowid);
  addRow(db, table, row.cells);
  return `${table} ${row.rowid}: as it was in ${from}`;
};

/** Whole tables as they were at an earlier moment, the ledger left alone. */
export const putTablesBack: RowChange = (db, random, older) => {
  if (older.length === 0) return undefined;
  const from = random.pick(older);
  const all = ['tasks', 'task_dependencies', 'leases', 'sessions', 'thoughts'];
  const tables = random.pick([all, all.slice(0, 3), all.slice(3), [random.pick(EVIDENCE_TABLES)]]);
  for (const table of tables) {
    db.prepare(`DELETE FROM ${table}`).run();
    for (const { cells } of olderRows(from, table)) addRow(db, table, cells);
  }
  return `${tables}: as they were in ${from}`;
};
