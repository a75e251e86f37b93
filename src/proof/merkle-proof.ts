// Inclusion and consistency proofs over the RFC 6962 Merkle tree: which hashes a proof consists of, and whether it is valid. Pure: the
// caller provides the hashes (leaves, stored nodes).
import type { Hashes } from './hashes.js';

/** The tree's leaves `from … to` (exclusive). Every range here starts at a multiple of its width rounded up to a power of two. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The size of a tree's left subtree (RFC 6962 §2.1): the largest power of two smaller than `size`. */
export const splitOf = (size: number): number => {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
};

const isIndex = (n: number): boolean => Number.isSafeInteger(n) && n >= 0;

/** RFC 6962 §2.1.1: the sibling subtrees on the path from a leaf to the root, lowest first. */
export const inclusionRanges = (index: number, size: number): readonly Range[] => {
  if (!isIndex(index) || index >= size) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const ranges: Range[] = [];
  let { from, to }: Range = { from: 0, to: size };
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    ranges.unshift(index < middle ? { from: middle, to } : { from, to: middle });
    if (index < middle) to = middle;
    else from = middle;
  }
  return ranges;
};

/** RFC 6962 §2.1.2: the subtrees which show that a tree of `first` leaves is the beginning of a tree of `second` leaves, lowest first. */
export const consistencyRanges = (first: number, second: number): readonly Range[] => {
  if (!isIndex(first) || first < 1 || first > second)
    throw new RangeError(`a tree of ${first} leaves is not the beginning of one of ${second}`);
  if (first === second) return [];
  const ranges: Range[] = [];
  let { from, to }: Range = { from: 0, to: second };
  while (first < to) {
    const middle = from + splitOf(to - from);
    ranges.unshift(first <= middle ? { from: middle, to } : { from, to: middle });
    if (first <= middle) to = middle;
    else from = middle;
  }
  // If the old tree is one complete subtree, the verifier knows its root, so the proof leaves that root out.
  return from === 0 ? ranges : [{ from, to }, ...ranges];
};

export interface InclusionClaim {
  readonly leaf: string;
  readonly index: number;
  readonly size: number;
  readonly path: readonly string[];
  readonly root: string;
}

export interface ConsistencyClaim {
  readonly first: number;
  readonly firstRoot: string;
  readonly second: number;
  readonly secondRoot: string;
  readonly path: readonly string[];
}

/** Half of a number, rounded down. `>>` would be wrong, because sizes may exceed 2^31. */
const half = (n: number): number => Math.floor(n / 2);

/** Whether an inclusion proof is valid (RFC 9162 §2.1.3.2). */
const includesBy = (nodeHash: Hashes['node'], { leaf, index, size, path, root }: InclusionClaim): boolean => {
  if (!isIndex(index) || !isIndex(size) || index >= size) return false;
  let [fn, sn] = [index, size - 1];
  let hash = leaf;
  for (const sibling of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else hash = nodeHash(hash, sibling);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && hash === root;
};

/**
 * Whether a consistency proof is valid (RFC 9162 §2.1.4.2). `first` must not be 0: the empty tree is the beginning of every tree, without
 * a proof.
 */
const isConsistentBy = (nodeHash: Hashes['node'], claim: ConsistencyClaim): boolean => {
  const { first, firstRoot, second, secondRoot, path } = claim;
  if (!isIndex(first) || !isIndex(second) || first < 1 || first > second) return false;
  if (first === second) return path.length === 0 && firstRoot === secondRoot;
  let [fn, sn] = [first - 1, second - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  const hashes = fn === 0 ? [firstRoot, ...path] : [...path];
  const start = hashes.shift();
  if (start === undefined) return false;
  let [older, newer] = [start, start];
  for (const hash of hashes) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      older = nodeHash(hash, older);
      newer = nodeHash(hash, newer);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else newer = nodeHash(newer, hash);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && older === firstRoot && newer === secondRoot;
};

export interface ProofChecks {
  readonly includes: (claim: InclusionClaim) => boolean;
  readonly isConsistent: (claim: ConsistencyClaim) => boolean;
}

export const proofChecks = ({ node }: Pick<Hashes, 'node'>): ProofChecks => ({
  includes: (claim) => includesBy(node, claim),
  isConsistent: (claim) => isConsistentBy(node, claim),
});
