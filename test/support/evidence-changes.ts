// Changes to evidence rows from outside, for the fast tests (the first rows of each table) and the deep ones (all rows).
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Finding } from '../../src/verify/verdict/finding.js';
import { checkEvidence } from './evidence-store.js';
import { temporaryFolder } from './stores.js';

export type Change = (db: Database.Database) => void;
type Cell = string | number | null | Buffer;
export type Row = Record<string, Cell>;

export const TABLES = ['tasks', 'task_dependencies', 'leases', 'sessions', 'thoughts', 'catalogue'] as const;

/** A copy of the store with a change in it. */
export const changedCopy = (from: string, change: Change): string => {
  const path = join(temporaryFolder(), 'copy.db');
  copyFileSync(from, path);
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  change(db);
  db.close();
  return path;
};

/** Every value of every column, made another one: of the same type, another type, nothing. */
const others = (value: Cell): Cell[] => {
  const blob = Buffer.from(String(value));
  if (typeof value === 'number') return [value + 1, -value - 1, value + 0.5, 'x', blob, null];
  if (typeof value === 'string') return [`${value}x`, value.slice(1), '', 'T-0001', blob, null];
  return ['x', 'T-0001', 1, 0, Buffer.from('x')];
};

const attempt = (change: () => Finding[]): Finding[] | undefined => {
  try {
    return change();
  } catch (thrown) {
    if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) return undefined;
    if (thrown instanceof Database.SqliteError && thrown.code === 'SQLITE_MISMATCH') return undefined;
    throw thrown;
  }
};

/** Changes each value of the table's first rows, one at a time; returns the changes that had no finding, and the store with all values back. */
export const unseenChanges = (from: string, table: (typeof TABLES)[number], rows: number) => {
  const missed: string[] = [];
  const path = changedCopy(from, () => {});
  const db = new Database(path);
  onTestFinished(() => void db.close());
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  for (const row of db.prepare<[number], Row>(`SELECT rowid AS at, * FROM ${table} LIMIT ?`).all(rows)) {
    for (const [column, value] of Object.entries(row)) {
      if (column === 'at') continue;
      for (const other of others(value).filter((candidate) => candidate !== value)) {
        const stored = attempt(() => {
          db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(other, row.at);
          return checkEvidence(path);
        });
        if (stored === undefined) continue; // a constraint of the schema forbids it
        if (stored.length === 0) missed.push(`${column} of ${row.at}: ${String(value)} → ${String(other)}`);
        const back = ['n', 'task_n'].includes(column) && table !== 'task_dependencies' ? other : row.at;
        db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, back);
      }
    }
  }
  return { missed, path };
};
