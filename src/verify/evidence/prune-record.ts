// What a `prune` record says was taken out. Pure.
import type { JsonObject } from '../../proof/json-object.js';
/** Payloads of a log, both ends included. */
export interface StoredPrune {
  readonly log: string;
  readonly from: number;
  readonly to: number;
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Nothing where the record makes no sense. It takes away what stood before it, and never what comes after. */
export const prunedBy = ({ log: own, seq, of, from_seq: from, to_seq: to }: JsonObject): StoredPrune | undefined => {
  const log = of === undefined ? own : of;
  if (typeof log !== 'string' || !isPlace(seq) || !isPlace(from) || !isPlace(to) || from > to) return undefined;
  return log === own && to >= seq ? undefined : { log, from, to };
};
