// The multiproof against RFC 6962 word for word (test/support/rfc6962.ts): that it is right, that it is the smallest, and that nothing else passes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafOf, naiveTree, nodeOf } from '../../test/support/rfc6962.js';
import { inclusionRanges } from './merkle-proof.js';
import { type MultiproofClaim, multiproofRanges, openMultiproof } from './multiproof.js';

const LEAVES = Array.from({ length: 300 }, (_, i) => leafOf(`leaf ${i}`));
const tree = naiveTree(LEAVES);
const now = async (): Promise<void> => {};

const claimOf = (size: number, indexes: readonly number[]): MultiproofClaim => ({
  size,
  indexes,
  hashes: indexes.map((index) => LEAVES[index] ?? ''),
  nodes: multiproofRanges({ size, indexes }).map(({ from, to }) => tree.root(from, to)),
});
const rootOf = async (claim: MultiproofClaim) => openMultiproof(nodeOf, claim)?.root(now);

const sizes = fc.integer({ min: 1, max: LEAVES.length });
const cases = sizes.chain((size) =>
  fc.record({
    size: fc.constant(size),
    indexes: fc.uniqueArray(fc.nat(size - 1)).map((all) => all.toSorted((a, b) => a - b)),
  }),
);

/** The fewest hashes, counted from the definition: a subtree without shown leaves is one hash, one with some is the sum of its halves. */
const fewest = (from: number, to: number, shown: ReadonlySet<number>): number => {
  const inside = [...shown].filter((index) => index >= from && index < to).length;
  if (inside === 0) return 1;
  if (to - from === 1) return 0;
  let half = 1;
  while (half * 2 < to - from) half *= 2;
  return fewest(from, from + half, shown) + fewest(from + half, to, shown);
};

describe('a multiproof', () => {
  it('gives the root of any set of leaves with the fewest hashes', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, indexes }) => {
        const claim = claimOf(size, indexes);
        expect(await rootOf(claim)).toBe(tree.root(0, size));
        expect(claim.nodes.length).toBe(fewest(0, size, new Set(indexes)));
      }),
      { numRuns: 300 },
    );
  });

  it('gives the inclusion proof of each shown leaf', async () => {
    await fc.assert(
      fc.property(cases, ({ size, indexes }) => {
        const open = openMultiproof(nodeOf, claimOf(size, indexes));
        for (const index of indexes.slice(0, 5))
          expect(open?.path(inclusionRanges(index, size))).toEqual(tree.path(index, size));
      }),
      { numRuns: 100 },
    );
  });

  it('gives another root, or none, once anything in it is changed', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), fc.boolean(), async ({ size, indexes }, at, ofNodes) => {
        const claim = claimOf(size, indexes);
        const list = ofNodes ? claim.nodes : claim.hashes;
        fc.pre(list.length > 0);
        const changed = list.with(at % list.length, leafOf('another'));
        expect(await rootOf({ ...claim, [ofNodes ? 'nodes' : 'hashes']: changed })).not.toBe(tree.root(0, size));
        const without = list.toSpliced(at % list.length, 1);
        expect(await rootOf({ ...claim, [ofNodes ? 'nodes' : 'hashes']: without })).toBeUndefined();
        expect(await rootOf({ ...claim, [ofNodes ? 'nodes' : 'hashes']: [...list, LEAVES[0] ?? ''] })).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [{ size: 0, indexes: [] }],
    [{ size: 4, indexes: [4] }],
    [{ size: 4, indexes: [2, 1] }],
    [{ size: 4, indexes: [1, 1] }],
    [{ size: 4, indexes: [-1] }],
    [{ size: 4, indexes: [0.5] }],
    [{ size: Number.NaN, indexes: [] }],
  ])('refuses leaves that are not in the tree: %j', (shown) => {
    expect(
      openMultiproof(nodeOf, { ...shown, hashes: shown.indexes.map(() => LEAVES[0] ?? ''), nodes: [] }),
    ).toBeUndefined();
  });

  it('shows the last leaf of a tree of 2^52 with 52 hashes, without walking the tree', async () => {
    const size = 2 ** 52;
    const nodes = multiproofRanges({ size, indexes: [size - 1] }).map(({ to }) => leafOf(String(to)));
    expect(nodes.length).toBe(52);
    expect(await rootOf({ size, indexes: [size - 1], hashes: [leafOf('last')], nodes })).toMatch(/^[0-9a-f]{64}$/);
  });

  it('pauses while it works through many leaves', async () => {
    const leaves = Array.from({ length: 5_000 }, (_, i) => leafOf(String(i)));
    const indexes = leaves.map((_, i) => i);
    let pauses = 0;
    const open = openMultiproof(nodeOf, { size: leaves.length, indexes, hashes: leaves, nodes: [] });
    expect(await open?.root(async () => void pauses++)).toBe(naiveTree(leaves).root(0, leaves.length));
    expect(pauses).toBeGreaterThan(4);
  });
});
