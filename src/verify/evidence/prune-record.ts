// Reads from a `prune` record which payloads (stored arguments) were pruned.
import type { JsonObject } from '../../proof/canonical-json.js';
/** A range of record numbers of a log whose payloads were pruned, both ends included. */
export interface StoredPrune {
  readonly log: string;
  readonly from: number;
  readonly to: number;
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The range that a `prune` record names; undefined if the record is invalid. It can only name payloads of earlier records. */
export const prunedBy = ({ log: own, seq, of, from_seq: from, to_seq: to }: JsonObject): StoredPrune | undefined => {
  const log = of === undefined ? own : of;
  if (typeof log !== 'string' || !isPlace(seq) || !isPlace(from) || !isPlace(to) || from > to) return undefined;
  return log === own && to >= seq ? undefined : { log, from, to };
};
