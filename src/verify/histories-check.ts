// Checks the histories of those evidence rows whose traces are in one part of the scratch file. A part holds all traces of each of its
// rows.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import {
  checkHistory,
  evidenceLogs,
  expirationsFrom,
  expiredIn,
  expiredKey,
  orderOf,
  type Sightings,
} from './evidence/index.js';
import { VERIFY_LIMITS } from './limits.js';
import type { StoreReader, StoreReading } from './reading.js';
import { groupsIn } from './scratch.js';
import { addFound, type Found, foundOf, guarded, nothingFound } from './verdict/finding-list.js';

export interface HistoriesJob {
  readonly batch: Uint8Array;
  /** For each log, the id that follows the last record which this verification has read. */
  readonly ends: readonly number[];
  /** What records say about the length of other logs; this tells which of two records of different logs was written first. */
  readonly sightings: Sightings;
  /** True if revisions may be missing, because records below a trusted head were not read. */
  readonly partial: boolean;
  /** The ids of the records that accept the loss of a log: revisions that were made before one of them may be missing. */
  readonly losses: readonly number[];
}

/** The leases that ran out according to records which were written while the store was being verified. */
const laterExpirations = (tx: StoreReading, ends: readonly number[]): ReadonlySet<string> => {
  const starts = new Map(ends.map((end) => [Math.floor(end / RECORDS_PER_LOG), end]));
  const bodies = evidenceLogs(tx).flatMap(({ no }) =>
    expirationsFrom(
      tx,
      Number(no),
      starts.get(Number(no)) ?? Number(no) * RECORDS_PER_LOG,
      VERIFY_LIMITS.verifyAbsences,
    ),
  );
  return expiredIn(bodies);
};

export interface HistoriesReport {
  readonly found: Found;
  readonly rows: number;
}

export const checkHistories = (reader: StoreReader, job: HistoriesJob): HistoriesReport => {
  const { batch, ends, sightings, partial, losses } = job;
  const precedes = orderOf(sightings);
  // A log that was lost wrote nothing after its loss was accepted.
  const mayMissAfter = (record: number | undefined): boolean =>
    partial || losses.some((loss) => record === undefined || !precedes(loss, record));
  let rows = 0;
  const found = nothingFound();
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.length);
  guarded(found, 'subject', {}, () =>
    reader.snapshot((tx) => {
      let later: ReadonlySet<string> | undefined;
      const expiredLater = (n: number, rev: number): boolean => {
        later ??= laterExpirations(tx, ends);
        return later.has(expiredKey(n, rev));
      };
      for (const { key, values } of groupsIn(bytes)) {
        rows += 1;
        addFound(found, foundOf(checkHistory({ tx, mayMissAfter, precedes, expiredLater }, key, values)));
      }
    }),
  );
  return { found, rows };
};
