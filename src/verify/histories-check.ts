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
  /**
   * True if revisions may be missing: records were not read because a head that the user trusts covers them, or a person accepted the loss
   * of a log.
   */
  readonly partial: boolean;
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
  const { batch, ends, sightings, partial } = job;
  const precedes = orderOf(sightings);
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
        addFound(found, foundOf(checkHistory({ tx, partial, precedes, expiredLater }, key, values)));
      }
    }),
  );
  return { found, rows };
};
