// Reads from `accept` records what a person has accepted: that logs are gone, that a store was deleted and begun anew, or that it is a
// copy.
import { type JsonObject, parsedObject } from '../proof/canonical-json.js';
import type { StoredHead } from './heads/known-heads.js';
import { standingsIn } from './log/beside-check.js';
import type { LogWalk } from './log/log-walk.js';

/** The row of an `accept` record, with values of any type, as they are stored. */
export interface StoredAcceptance {
  readonly log: unknown;
  readonly seq: unknown;
  readonly body: unknown;
}

/** What an `adopts` record accepts, in the words of `accept` records. */
export const MOVED_HERE = 'moved here';

export interface Acceptances {
  /**
   * The logs that are not in the store and of which a person accepted that, each with the number of its signed records. A log that is here
   * cannot be missing.
   */
  readonly missing: ReadonlyMap<string, number>;
  /** The logs that came with an accepted copy, or with a store that was moved here, each with its size at that time. They are continued in the original store only. */
  readonly copied: ReadonlyMap<string, number>;
  readonly records: readonly JsonObject[];
}

/** An `accept` record, or an `adopts` record with what it accepts; undefined for any other. */
const asAcceptance = (record: JsonObject | undefined): JsonObject | undefined => {
  if (record?.kind === 'adopts') return { ...record, what: MOVED_HERE };
  return record?.kind === 'accept' ? record : undefined;
};

/** The heads of a log; undefined if the log is not in the store. */
type HeadsOf = (log: string) => readonly StoredHead[] | undefined;

/**
 * Collects what has been accepted. An `accept` record counts only if a known head covers it, because Colibri signs at once when a person
 * accepts something. If no head of any log is known, every `accept` record counts, and the verdict says that heads are missing.
 */
export const acceptedOf = (rows: readonly StoredAcceptance[], headsOf: HeadsOf, anyHead: boolean): Acceptances => {
  const [missing, copied, records] = [new Map<string, number>(), new Map<string, number>(), [] as JsonObject[]];
  for (const { log, seq, body } of rows) {
    const isCovered = headsOf(String(log))?.some(({ size }) => size > Number(seq));
    const record = asAcceptance(parsedObject(body));
    if (record === undefined || (anyHead && isCovered !== true)) continue;
    records.push(record);
    for (const standing of standingsIn(record)) {
      if (record.what === 'missing log' && headsOf(standing.log) === undefined)
        missing.set(standing.log, standing.size);
      if (record.what === 'copy' || record.what === MOVED_HERE) copied.set(standing.log, standing.size);
    }
  }
  return { missing, copied, records };
};

/** For each log, the logs that it accepted as those of a copy. */
export const copiesIn =
  (records: readonly JsonObject[]) =>
  (by: string): ReadonlySet<string> =>
    new Set(
      records
        .filter(({ what, log }) => (what === 'copy' || what === MOVED_HERE) && log === by)
        .flatMap(standingsIn)
        .map(({ log }) => log),
    );

/**
 * The records by which a person accepted that a log is gone, so that revisions of rows may be missing. A record that names only invented logs
 * does not count: another record, or the heads folder, must know the log too.
 */
export const lossesIn = (
  { missing, records }: Pick<Acceptances, 'missing' | 'records'>,
  walks: readonly LogWalk[],
  headsOfStore: readonly string[],
): readonly JsonObject[] => {
  const named = new Set<unknown>([
    ...headsOfStore,
    ...walks.flatMap(({ state, history }) => [state.first?.previous, ...history.lacking.keys()]),
  ]);
  const isLoss = (log: string): boolean => missing.has(log) && named.has(log);
  return records.filter((body) => body.what === 'missing log' && standingsIn(body).some(({ log }) => isLoss(log)));
};
