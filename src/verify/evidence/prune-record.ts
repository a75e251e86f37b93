// Reads from a `prune` record which payloads were pruned.
import type { JsonObject } from '../../proof/json-object.js';
/** A range of payloads of a log, both ends included. */
export interface StoredPrune {
  readonly log: string;
  readonly from: number;
  readonly to: number;
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Undefined if the record is invalid. A record can only prune payloads of earlier records. */
export const prunedBy = ({ log: own, seq, of, from_seq: from, to_seq: to }: JsonObject): StoredPrune | undefined => {
  const log = of === undefined ? own : of;
  if (typeof log !== 'string' || !isPlace(seq) || !isPlace(from) || !isPlace(to) || from > to) return undefined;
  return log === own && to >= seq ? undefined : { log, from, to };
};
