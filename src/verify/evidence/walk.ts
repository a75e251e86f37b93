// Walks over one table in pages ordered by rowid and checks each row by itself. A row that makes its check throw is a finding,
// never a crash.

import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import {
  bytesOf,
  countOutside,
  type EvidenceTable,
  evidencePage,
  FIRST_ROWID,
  type StoredRow,
} from './evidence-repository.js';
import { sayPointer, shown } from './pointer.js';

export type Key = readonly (string | number)[];

export interface Batch {
  readonly findings: Finding[];
  /** Where the next batch begins; null at the end of the table. */
  readonly last: Key | null;
  readonly rows: number;
}

export interface EvidenceCheck {
  readonly table: string;
  /** Checks one batch after `after` (null: from the start) in the caller's snapshot. */
  batch(tx: StoreReading, after: Key | null, limit: number): Batch;
}

export type RowCheck = (tx: StoreReading, row: StoredRow) => Finding[];

/** Errors of values with a wrong type, which cannot be serialised, bound or parsed. Errors of SQLite itself are rethrown. */
const isBadValue = (thrown: unknown): thrown is Error =>
  thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError;

const guarded = (table: EvidenceTable, id: unknown, look: () => Finding[]): Finding[] => {
  try {
    return look();
  } catch (thrown) {
    if (!isBadValue(thrown)) throw thrown;
    return [sayPointer('row', { table, id: shown(id) }, `cannot be checked: ${thrown.message}`)];
  }
};

/** Stands for bytes that are not UTF-8. Only with it can two different values look the same. */
const REPLACEMENT = '\ufffd';

/** Runs for every value, so it allocates nothing until it finds a replacement character. */
const textFindings = (tx: StoreReading, table: EvidenceTable, row: StoredRow, id: unknown): Finding[] => {
  const findings: Finding[] = [];
  for (const column in row) {
    const value = row[column];
    if (typeof value !== 'string' || !value.includes(REPLACEMENT)) continue;
    const bytes = bytesOf(tx, table, column, row.at_rowid as number);
    if (Buffer.isBuffer(bytes) && bytes.equals(Buffer.from(value))) continue;
    findings.push(sayPointer('row', { table, id: shown(id) }, `${column} is not well-formed text`));
  }
  return findings;
};

export interface Walked {
  readonly table: EvidenceTable;
  /** The name of a row in findings. */
  readonly idOf: (row: StoredRow) => unknown;
  readonly check: RowCheck;
  /** Runs once, with the first batch. */
  readonly once?: (tx: StoreReading) => Finding[];
}

/** All checks of one row. */
export const checkRow = (tx: StoreReading, { table, idOf, check }: Walked, row: StoredRow): Finding[] =>
  guarded(table, idOf(row), () => [...textFindings(tx, table, row, idOf(row)), ...check(tx, row)]);

const outside = (tx: StoreReading, table: EvidenceTable): Finding[] => {
  const count = countOutside(tx, table);
  return count === 0 ? [] : [sayPointer('row', { table }, `${count} rows have a rowid that Colibri never uses`)];
};

export const walkOver = (walked: Walked): EvidenceCheck => ({
  table: walked.table,
  batch: (tx, after, limit) => {
    const rows = evidencePage(tx, walked.table, after === null ? FIRST_ROWID : Number(after[0]), limit);
    const findings = rows.flatMap((row) => checkRow(tx, walked, row));
    if (after === null) findings.push(...outside(tx, walked.table), ...(walked.once?.(tx) ?? []));
    const last = rows.at(-1)?.at_rowid;
    return { findings, last: typeof last === 'number' ? [last] : null, rows: rows.length };
  },
});
