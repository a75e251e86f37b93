// Checks the rows of one task: the task itself and its lease; also returns the places of the records that the rows point to.
import type { EvidencePlace } from '../../ledger/evidence.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { placeOf } from './session.js';
import { LEASES, TASKS } from './tasks.js';
import { checkRow } from './walk.js';

export interface TaskReport {
  readonly findings: readonly Finding[];
  readonly places: readonly EvidencePlace[];
}

/** Checks the rows of the task with the number `n`, which is the key of both tables. */
export const checkTaskRows = (tx: StoreReading, n: number): TaskReport => {
  const rows = [TASKS, LEASES].flatMap((walked) =>
    tx.engine
      .evidencePage(tx, walked.table, [n - 1], 1)
      .filter((row) => tx.engine.keyOf(walked.table, row)[0] === n)
      .map((row) => ({ walked, row })),
  );
  return {
    findings: rows.flatMap(({ walked, row }) => checkRow(tx, walked, row)),
    places: rows.flatMap(({ row }) => placeOf(row)),
  };
};
