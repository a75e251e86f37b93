// Proves many leaves of an RFC 6962 tree at once: the fewest node hashes that, together with the hashes of the shown leaves, give the root.
// They are the roots of the largest subtrees that hold no shown leaf, from left to right. Pure; the caller provides the hashes.
import type { Hashes } from './hashes.js';
import { PROOF_LIMITS } from './limits.js';
import { type Range, splitOf } from './merkle-proof.js';
import { isHexHash, isIndex } from './proof-file.js';

/** The shown leaves of a tree: their indexes, ascending, and their hashes in the same order. */
export interface ShownLeaves {
  readonly size: number;
  readonly indexes: readonly number[];
}

const isAscending = (indexes: readonly number[]): boolean =>
  indexes.every((index, i) => isIndex(index) && (i === 0 || index > (indexes[i - 1] ?? index)));

/** Whether the indexes are ascending and inside the tree. */
export const areLeaves = ({ size, indexes }: ShownLeaves): boolean =>
  isIndex(size) && isAscending(indexes) && (indexes.at(-1) ?? -1) < size;

/** How many of the ascending indexes are smaller than `end`; the first `low` of them are known to be. */
const countBelow = (indexes: readonly number[], end: number, low: number, high: number): number => {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((indexes[middle] ?? end) < end) from = middle + 1;
    else to = middle;
  }
  return from;
};

/** The largest subtrees that hold none of the shown leaves, from left to right. */
export const multiproofRanges = (shown: ShownLeaves): readonly Range[] => {
  if (!areLeaves(shown)) throw new RangeError('the shown leaves are not ascending, or not in the tree');
  const { size, indexes } = shown;
  const ranges: Range[] = [];
  const visit = (from: number, to: number, low: number, high: number): void => {
    if (low === high) ranges.push({ from, to });
    else if (high - low < to - from) {
      const middle = from + splitOf(to - from);
      const cut = countBelow(indexes, middle, low, high);
      visit(from, middle, low, cut);
      visit(middle, to, cut, high);
    }
  };
  if (size > 0) visit(0, size, 0, indexes.length);
  return ranges;
};

/** A multiproof as it was received: nothing in it is trusted. `hashes` are those of the shown leaves. */
export interface MultiproofClaim extends ShownLeaves {
  readonly hashes: readonly string[];
  readonly nodes: readonly string[];
}

/** A multiproof that has as many hashes as it needs; its root is still to be compared with a signed one. */
export interface OpenMultiproof {
  /** The hash of a subtree of at most some thousand leaves, or without shown leaves. */
  readonly hashOf: (range: Range) => string;
  /** The root of the whole tree. `pause` is awaited between parts of the work, so that a browser stays responsive. */
  readonly root: (pause: () => Promise<void>) => Promise<string>;
  /** The Merkle path of one shown leaf, as `inclusionRanges` orders it. */
  readonly path: (ranges: readonly Range[]) => readonly string[];
}

/** Opens a multiproof; undefined if the leaves are not in the tree or the number of hashes is not exactly the one that is needed. */
export const openMultiproof = (
  nodeHash: Hashes['node'],
  { size, indexes, hashes, nodes }: MultiproofClaim,
): OpenMultiproof | undefined => {
  if (size < 1 || !areLeaves({ size, indexes }) || hashes.length !== indexes.length) return undefined;
  const ranges = multiproofRanges({ size, indexes });
  if (nodes.length !== ranges.length || ![...nodes, ...hashes].every(isHexHash)) return undefined;
  const known = new Map<number, string>();
  ranges.forEach(({ from }, i) => void known.set(from, nodes[i] ?? ''));
  const shown = new Map<number, string>(indexes.map((index, i) => [index, hashes[i] ?? '']));
  /** The given hash of a subtree without shown leaves. Subtrees of the proof do not overlap, so the first leaf names one. */
  const ends = new Map(ranges.map(({ from, to }) => [from, to]));
  const givenAt = ({ from, to }: Range): string | undefined => (ends.get(from) === to ? known.get(from) : undefined);
  const hashOf = (range: Range): string => {
    const given = givenAt(range);
    if (given !== undefined) return given;
    const { from, to } = range;
    if (to - from === 1) return shown.get(from) ?? '';
    const middle = from + splitOf(to - from);
    return nodeHash(hashOf({ from, to: middle }), hashOf({ from: middle, to }));
  };
  const sliced = async (range: Range, pause: () => Promise<void>): Promise<string> => {
    const { from, to } = range;
    if (givenAt(range) === undefined && to - from > PROOF_LIMITS.leavesAtOnce) {
      const middle = from + splitOf(to - from);
      const left = await sliced({ from, to: middle }, pause);
      return nodeHash(left, await sliced({ from: middle, to }, pause));
    }
    await pause();
    return hashOf(range);
  };
  return {
    hashOf,
    root: (pause) => sliced({ from: 0, to: size }, pause),
    path: (siblings) => siblings.map(hashOf),
  };
};
