// Rows of the evidence tables as a stranger with a second connection sees them: any row, any column, any type.
import type Database from 'better-sqlite3';
import type { Random } from '../support/random.js';

export type Db = Database.Database;
export type Cell = string | number | null | Buffer;
export type Cells = Record<string, Cell>;

export const EVIDENCE_TABLES = [
  'actions',
  'logs',
  'tiles',
  'payloads',
  'checkpoints',
  'tasks',
  'task_dependencies',
  'leases',
  'sessions',
  'thoughts',
  'catalogue',
  'definitions',
  'reputation_events',
  'reputation_days',
  'approvals',
  'rounds',
  'votes',
  'voters',
  'heard',
  'identity',
  'beside',
] as const;

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Its place in the primary key, from 1; 0: not in it. */
  readonly pk: number;
}

export const columnsOf = (db: Db, table: string): Column[] =>
  db.prepare<[string], Column>('SELECT name, type, pk FROM pragma_table_info(?)').all(table);

export interface Found {
  readonly rowid: number;
  readonly cells: Cells;
}

const split = ({ at_rowid, ...cells }: Cells): Found => ({ rowid: Number(at_rowid), cells });

/** A random row, or nothing from an empty table. */
export const anyRow = (db: Db, table: string, random: Random): Found | undefined => {
  const count = db.prepare<[], { n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n ?? 0;
  const sql = `SELECT rowid AS at_rowid, * FROM ${table} ORDER BY rowid LIMIT 1 OFFSET ${random.int(count)}`;
  const row = count === 0 ? undefined : db.prepare<[], Cells>(sql).get();
  return row && split(row);
};

export const allRows = (db: Db, table: string): Found[] =>
  db.prepare<[], Cells>(`SELECT rowid AS at_rowid, * FROM ${table} ORDER BY rowid`).all().map(split);

export const rowAt = (db: Db, table: string, rowid: number): Found | undefined => {
  const row = db.prepare<[number], Cells>(`SELECT rowid AS at_rowid, * FROM ${table} WHERE rowid = ?`).get(rowid);
  return row && split(row);
};

export const removeRow = (db: Db, table: string, rowid: number): void => {
  db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(rowid);
};

export const addRow = (db: Db, table: string, cells: Cells): void => {
  const names = Object.keys(cells);
  const marks = names.map(() => '?');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')})`).run(...Object.values(cells));
};

/** As a person reads it in a report. */
export const shown = (cell: Cell | undefined): string => {
  const text = Buffer.isBuffer(cell) ? `x'${cell.toString('hex')}'` : JSON.stringify(cell);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
};
