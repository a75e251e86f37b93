// The RFC 6962 Merkle tree over one session's thoughts: each thought's hash is a leaf, in order. Hashes are read in batches, because a
// session may be long and other work of the process must not wait for it.

import { grow, rootOf } from '../../ledger/tree.js';
import type { Frontier } from '../../proof/merkle.js';
import { inclusionRanges, type Range } from '../../proof/merkle-proof.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { thoughtHashesFrom } from './repository.js';

/** The Merkle root over the thoughts from place `from` up to, but not including, place `to`; by default over the whole session. */
export const rootOverThoughts = async (
  tx: ReadTx,
  sessionId: string,
  { from, to }: Range = { from: 0, to: Number.POSITIVE_INFINITY },
) => {
  let frontier: Frontier = [];
  let count = 0;
  for (;;) {
    const wanted = Math.min(DOMAIN_LIMITS.sealBatch, to - from - count);
    const hashes = wanted > 0 ? await thoughtHashesFrom(tx, sessionId, from + count, wanted) : [];
    for (const hash of hashes) frontier = grow(frontier, count++, hash).frontier;
    if (hashes.length < DOMAIN_LIMITS.sealBatch) return { root: rootOf(frontier), record_count: count };
  }
};

/** The Merkle path from the thought at `index` to the root over the first `size` thoughts. */
export const pathInSession = async (
  tx: ReadTx,
  sessionId: string,
  index: number,
  size: number,
): Promise<readonly string[]> => {
  const path: string[] = [];
  for (const range of inclusionRanges(index, size)) path.push((await rootOverThoughts(tx, sessionId, range)).root);
  return path;
};
