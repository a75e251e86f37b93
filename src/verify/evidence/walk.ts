// A walk over one table: pages in the order of rowid, each row looked at by itself. A row that breaks the look at it is
// a finding, never a crash.

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
  /** Where the next batch goes on; null when there is nothing more. */
  readonly last: Key | null;
  readonly rows: number;
}

export interface EvidenceCheck {
  readonly table: string;
  /** One batch after `after` (null: from the start). The caller gives one snapshot. */
  batch(tx: StoreReading, after: Key | null, limit: number): Batch;
}

export type RowCheck = (tx: StoreReading, row: StoredRow) => Finding[];

/** A value of a wrong type has no JSON form, cannot be bound or parsed. What SQLite itself reports goes on up. */
const isBadValue = (thrown: unknown): thrown is Error =>
  thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError;

const guarded = (table: EvidenceTable, id: unknown, look: () => Finding[]): Finding[] => {
  try {
    return look();
  } catch (thrown) {
    if (!isBadValue(thrown)) throw thrown;
    return [sayPointer('row', { table, id: shown(id) }, `cannot be looked at: ${thrown.message}`)];
  }
};

/** What bytes that are no UTF-8 come back as. Only then can two different values look the same to us. */
const REPLACEMENT = '\ufffd';

/** Runs for every value there is, so it makes nothing until it has to. */
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
  /** Asked once, with the first batch. */
  readonly once?: (tx: StoreReading) => Finding[];
}

/** One row whole. */
export const checkRow = (tx: StoreReading, { table, idOf, check }: Walked, row: StoredRow): Finding[] =>
  guarded(table, idOf(row), () => [...textFindings(tx, table, row, idOf(row)), ...check(tx, row)]);

const outside = (tx: StoreReading, table: EvidenceTable): Finding[] => {
  const count = countOutside(tx, table);
  return count === 0 ? [] : [sayPointer('row', { table }, `${count} rows stand where none is ever put`)];
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
