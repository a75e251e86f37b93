// Reads from `accept` records what a person has accepted: logs that are gone, a store that was begun anew, a copy.
import { type JsonObject, parsedObject } from '../proof/canonical-json.js';
import type { StoredHead } from './heads/known-heads.js';
import { standingsIn } from './log/beside-check.js';

/** A record of kind `accept` as the store has it. */
export interface StoredAcceptance {
  readonly log: unknown;
  readonly seq: unknown;
  readonly body: unknown;
}

export interface Acceptances {
  /** Logs that a person gave up; of each, how many records were signed. */
  readonly missing: ReadonlyMap<string, number>;
  /** Logs that came with an accepted copy; of each, its size then. The store that was copied goes on writing them. */
  readonly copied: ReadonlyMap<string, number>;
  readonly records: readonly JsonObject[];
}

type HeadsOf = (log: string) => readonly StoredHead[];

/**
 * What has been accepted. A record counts if a known head covers it: whoever accepts something signs at once. Where no head of any log is
 * known, nothing can tell, and the verdict says so anyway.
 */
export const acceptedOf = (rows: readonly StoredAcceptance[], headsOf: HeadsOf, anyHead: boolean): Acceptances => {
  const [missing, copied, records] = [new Map<string, number>(), new Map<string, number>(), [] as JsonObject[]];
  for (const { log, seq, body } of rows) {
    const isCovered = headsOf(String(log)).some(({ size }) => size > Number(seq));
    const record = parsedObject(body);
    if (record?.kind !== 'accept' || (anyHead && !isCovered)) continue;
    records.push(record);
    for (const standing of standingsIn(record)) {
      if (record.what === 'missing log') missing.set(standing.log, standing.size);
      if (record.what === 'copy') copied.set(standing.log, standing.size);
    }
  }
  return { missing, copied, records };
};
