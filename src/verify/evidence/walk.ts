// Reads one evidence table page by page and checks each row by itself. A row that makes its check throw is a finding,
// never a crash.

import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import type { EvidenceTable, StoredRow } from './evidence-repository.js';
import { sayPointer, shown } from './pointer.js';

export type Key = readonly (string | number)[];

export interface Batch {
  readonly findings: Finding[];
  /** The key of the last row of this batch, after which the next batch begins; null if the batch is empty. */
  readonly last: Key | null;
  readonly rows: number;
}

export interface EvidenceCheck {
  readonly table: string;
  /** Checks at most `limit` rows after the key `after` (null: from the start) in the caller's read transaction. */
  batch(tx: StoreReading, after: Key | null, limit: number): Batch;
}

export type RowCheck = (tx: StoreReading, row: StoredRow) => Finding[];

/** Whether an error comes from a value of a wrong type, which cannot be serialised, bound or parsed, and not from SQLite itself. */
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

/**
 * The character that stands for bytes which are not UTF-8. Only texts with this character can differ in the file and look the same when
 * they are read.
 */
const REPLACEMENT = '\ufffd';

/**
 * Reports texts of a row that are not UTF-8. Runs for every value, so the bytes of a text are read only if it has a replacement
 * character.
 */
const textFindings = (tx: StoreReading, table: EvidenceTable, row: StoredRow, id: unknown): Finding[] => {
  const findings: Finding[] = [];
  for (const column in row) {
    const value = row[column];
    if (typeof value !== 'string' || !value.includes(REPLACEMENT)) continue;
    const bytes = tx.engine.bytesOf(tx, table, column, row);
    if (Buffer.isBuffer(bytes) && bytes.equals(Buffer.from(value))) continue;
    findings.push(sayPointer('row', { table, id: shown(id) }, `${column} is not well-formed text`));
  }
  return findings;
};

const SALT = /^[0-9a-f]{32}$/;

/** Reports a row whose salt is not one: without a good salt, the digest of a row lets its contents be guessed. */
const saltFindings = (table: EvidenceTable, { salt }: StoredRow, id: unknown): Finding[] =>
  salt === undefined || (typeof salt === 'string' && SALT.test(salt))
    ? []
    : [sayPointer('row', { table, id: shown(id) }, 'its salt is not 16 bytes in hex')];

export interface Walked {
  readonly table: EvidenceTable;
  /** The id by which findings name a row. */
  readonly idOf: (row: StoredRow) => unknown;
  readonly check: RowCheck;
  /** A check of the whole table, which runs once, with the first batch. */
  readonly once?: (tx: StoreReading) => Finding[];
}

/** Runs all checks of one row. */
export const checkRow = (tx: StoreReading, { table, idOf, check }: Walked, row: StoredRow): Finding[] =>
  guarded(table, idOf(row), () => [
    ...textFindings(tx, table, row, idOf(row)),
    ...saltFindings(table, row, idOf(row)),
    ...check(tx, row),
  ]);

const outside = (tx: StoreReading, table: EvidenceTable): Finding[] => {
  const count = tx.engine.countOutside(tx, table);
  return count === 0 ? [] : [sayPointer('row', { table }, `${count} rows have a rowid that Colibri never uses`)];
};

export const walkOver = (walked: Walked): EvidenceCheck => ({
  table: walked.table,
  batch: (tx, after, limit) => {
    const rows = tx.engine.evidencePage(tx, walked.table, after, limit);
    const findings = rows.flatMap((row) => checkRow(tx, walked, row));
    if (after === null) findings.push(...outside(tx, walked.table), ...(walked.once?.(tx) ?? []));
    const last = rows.at(-1);
    return { findings, last: last === undefined ? null : tx.engine.keyOf(walked.table, last), rows: rows.length };
  },
});
