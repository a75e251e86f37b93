import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafHash } from './merkle.js';
import { consistencyRanges, includes, inclusionRanges, isConsistent, type Range } from './merkle-proof.js';

const sha = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
const node = (left: string, right: string): string =>
  sha(Buffer.from([1]), Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));
const split = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

/** RFC 6962 §2.1, §2.1.1 and §2.1.2 word for word, over lists. */
const root = (d: readonly string[]): string =>
  d.length === 0
    ? sha('')
    : d.length === 1
      ? (d[0] ?? '')
      : node(root(d.slice(0, split(d.length))), root(d.slice(split(d.length))));
const path = (m: number, d: readonly string[]): string[] => {
  if (d.length === 1) return [];
  const k = split(d.length);
  return m < k ? [...path(m, d.slice(0, k)), root(d.slice(k))] : [...path(m - k, d.slice(k)), root(d.slice(0, k))];
};
const subproof = (m: number, d: readonly string[], known: boolean): string[] => {
  if (m === d.length) return known ? [] : [root(d)];
  const k = split(d.length);
  return m <= k
    ? [...subproof(m, d.slice(0, k), known), root(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), root(d.slice(0, k))];
};

const leaves = Array.from({ length: 300 }, (_, i) => leafHash(`record ${i}`));
const hashesOf = (ranges: readonly Range[]): string[] => ranges.map(({ from, to }) => root(leaves.slice(from, to)));

describe('proofs at every size from 1 to 64', () => {
  const sizes = Array.from({ length: 64 }, (_, i) => i + 1);

  it('of inclusion are those of RFC 6962, and hold', () => {
    for (const size of sizes) {
      const tree = leaves.slice(0, size);
      for (const [index, leaf] of tree.entries()) {
        const proof = hashesOf(inclusionRanges(index, size));
        expect(proof).toEqual(path(index, tree));
        expect(includes({ leaf, index, size, path: proof, root: root(tree) })).toBe(true);
      }
    }
  });

  it('of consistency are those of RFC 6962, and hold', () => {
    for (const second of sizes) {
      for (let first = 1; first <= second; first++) {
        const proof = hashesOf(consistencyRanges(first, second));
        expect(proof).toEqual(subproof(first, leaves.slice(0, second), true));
        const roots = { firstRoot: root(leaves.slice(0, first)), secondRoot: root(leaves.slice(0, second)) };
        expect(isConsistent({ first, second, path: proof, ...roots })).toBe(true);
      }
    }
  });
});

const sized = fc.integer({ min: 1, max: 300 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
const flip = (hash: string): string => `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`;

describe('random sizes to 300', () => {
  it('a true claim holds and any changed part of it does not', () => {
    fc.assert(
      fc.property(sized, fc.nat(), ([size, index], pick) => {
        const tree = leaves.slice(0, size);
        const proof = path(index, tree);
        const claim = { leaf: leaves[index] ?? '', index, size, path: proof, root: root(tree) };
        expect(includes(claim)).toBe(true);
        expect(includes({ ...claim, root: flip(claim.root) })).toBe(false);
        expect(includes({ ...claim, leaf: flip(claim.leaf) })).toBe(false);
        expect(includes({ ...claim, path: [...proof, claim.root] })).toBe(false);
        if (proof.length === 0) return;
        const at = pick % proof.length;
        expect(includes({ ...claim, path: proof.with(at, flip(proof[at] ?? '')) })).toBe(false);
        expect(includes({ ...claim, path: proof.slice(1) })).toBe(false);
        expect(includes({ ...claim, path: proof.slice(0, -1) })).toBe(false);
        const other = (index + 1) % size;
        expect(includes({ ...claim, index: other })).toBe(leaves[other] === claim.leaf);
      }),
    );
  });

  it('a beginning is consistent and a forged one is not', () => {
    fc.assert(
      fc.property(sized, fc.nat(), ([second, before], pick) => {
        const first = before + 1;
        const proof = hashesOf(consistencyRanges(first, second));
        const claim = {
          first,
          second,
          firstRoot: root(leaves.slice(0, first)),
          secondRoot: root(leaves.slice(0, second)),
          path: proof,
        };
        expect(isConsistent(claim)).toBe(true);
        expect(isConsistent({ ...claim, firstRoot: flip(claim.firstRoot) })).toBe(false);
        expect(isConsistent({ ...claim, secondRoot: flip(claim.secondRoot) })).toBe(false);
        expect(isConsistent({ ...claim, path: [...proof, claim.firstRoot] })).toBe(false);
        if (proof.length === 0) return;
        const at = pick % proof.length;
        expect(isConsistent({ ...claim, path: proof.with(at, flip(proof[at] ?? '')) })).toBe(false);
        expect(isConsistent({ ...claim, path: proof.slice(0, -1) })).toBe(false);
      }),
    );
  });
});

it.each([
  { index: -1, size: 4 },
  { index: 4, size: 4 },
  { index: 0, size: 0 },
  { index: 0.5, size: 4 },
  { index: 0, size: 2 ** 53 },
])('refuses leaf $index of $size', ({ index, size }) => {
  expect(includes({ leaf: leaves[0] ?? '', index, size, path: [], root: leaves[0] ?? '' })).toBe(false);
});

it.each([
  [0, 4],
  [5, 4],
  [-1, 4],
  [1.5, 4],
])('refuses that %d begins %d', (first, second) => {
  expect(isConsistent({ first, second, firstRoot: '', secondRoot: '', path: [] })).toBe(false);
  expect(() => consistencyRanges(first, second)).toThrow(RangeError);
});
