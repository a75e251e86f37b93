// What the tables of consensus have in common: the columns that a row's digest covers, and the columns that say which record made the row.
import { type EvidencePlace, type EvidenceRow, rowSalt, subjectOf } from '../ledger/evidence.js';
import type { OwnLog } from '../ledger/own-log.js';
import type { Subject } from '../proof/records.js';
import type { SqlValue } from '../store/store.js';

/** The record that will name the rows, its log, and the time. */
export interface NamingRecord extends Pick<EvidencePlace, 'seq'> {
  readonly log: OwnLog;
  readonly at: string;
}

/** The columns of every evidence row that say which record made it. */
export interface RowPlace {
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
}

export const PLACE_COLUMNS = ['rev', 'salt', 'log_id', 'seq'] as const;

export const placeFor = ({ log, seq }: NamingRecord, rev: number): RowPlace => ({
  rev,
  salt: rowSalt(),
  log_id: log.id,
  seq,
});

/** What a record says about a row, whose digest covers these columns. */
export const subjectWith = (
  type: EvidenceRow['type'],
  id: string,
  row: RowPlace & Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Subject =>
  subjectOf({
    ...{ type, id, rev: row.rev, salt: row.salt },
    columns: Object.fromEntries(columns.map((name) => [name, row[name]])),
  });

export const valuesOf = (row: Readonly<Record<string, SqlValue>>, columns: readonly string[]): readonly SqlValue[] =>
  columns.map((name) => row[name] ?? null);

export const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
