// Checks rows of one evidence table for a limited time, one batch in each read transaction, and returns the row after which the next job
// continues.

import { type EvidenceCheck, evidenceChecks, type Key } from './evidence/index.js';
import { VERIFY_LIMITS } from './limits.js';
import type { StoreReader } from './reading.js';
import { addFound, type Found, foundOf, guarded, nothingFound } from './verdict/finding-list.js';

export interface RowsJob {
  /** The index of the table in `evidenceTables()`. */
  readonly table: number;
  readonly after: Key | null;
}

export interface RowsReport {
  readonly found: Found;
  readonly rows: number;
  /** The key of the last row that was checked, after which the next job continues; null at the end of the table. */
  readonly after: Key | null;
}

/** The checks of all evidence tables. A thread keeps them between jobs, because they remember what they have already read. */
export type KeptChecks = readonly EvidenceCheck[];

export const evidenceTables = (): readonly string[] => evidenceChecks().map(({ table }) => table);

export const checkRows = (reader: StoreReader, checks: KeptChecks, { table, after }: RowsJob): RowsReport => {
  const check = checks[table];
  const found = nothingFound();
  const until = performance.now() + VERIFY_LIMITS.verifyTurnMs;
  let [at, rows]: [Key | null, number] = [after, 0];
  guarded(found, 'row', { table: check?.table ?? '' }, () => {
    do {
      const batch = reader.snapshot((tx) => check?.batch(tx, at, VERIFY_LIMITS.verifyRows));
      at = null;
      if (batch === undefined) return;
      addFound(found, foundOf(batch.findings));
      rows += batch.rows;
      at = batch.rows < VERIFY_LIMITS.verifyRows ? null : batch.last;
    } while (at !== null && performance.now() < until);
  });
  return { found, rows, after: at };
};
