import fc from 'fast-check';
import { expect } from 'vitest';
import { deepDescribe, deepTest, describe, test as it } from '../../test/support/by-gate.js';
import { CT_LEAVES, CT_ROOTS, leafOf, naiveTree, rootByPath, rootsByProof } from '../../test/support/rfc6962.js';
import { includes, isConsistent } from '../ledger/tree.js';
import { type ConsistencyClaim, consistencyRanges, type InclusionClaim, inclusionRanges } from './merkle-proof.js';

const MANY = 100_000;
const leaves = Array.from({ length: MANY }, (_, i) => leafOf(`record ${i}`));
const tree = naiveTree(leaves);

const inclusionClaim = (index: number, size: number): InclusionClaim => ({
  leaf: leaves[index] ?? '',
  index,
  size,
  path: inclusionRanges(index, size).map(({ from, to }) => tree.root(from, to)),
  root: tree.root(0, size),
});

const consistencyClaim = (first: number, second: number): ConsistencyClaim => ({
  first,
  firstRoot: tree.root(0, first),
  second,
  secondRoot: tree.root(0, second),
  path: consistencyRanges(first, second).map(({ from, to }) => tree.root(from, to)),
});

const same = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

/** Every pair 0 ≤ a < b ≤ most. Failures are counted and expected once: an `expect` for each would take longer than the hashing. */
const pairs = function* (most: number): Generator<readonly [number, number]> {
  for (let b = 1; b <= most; b++) for (let a = 0; a < b; a++) yield [a, b];
};

describe('proofs at every size from 1 to 300', () => {
  it('of inclusion are those of RFC 6962, and hold', () => {
    const wrong = [...pairs(300)].filter(([index, size]) => {
      const claim = inclusionClaim(index, size);
      return !same(claim.path, tree.path(index, size)) || !includes(claim);
    });
    expect(wrong).toEqual([]);
  });

  it('of consistency are those of RFC 6962, and hold', () => {
    const wrong = [...pairs(300)].filter(([before, second]) => {
      const claim = consistencyClaim(before + 1, second);
      return !same(claim.path, tree.proof(before + 1, second)) || !isConsistent(claim);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the reference implementation of Certificate Transparency', () => {
  const ct = naiveTree(CT_LEAVES.map(leafOf));

  it('has these proofs, and they hold', () => {
    const root = CT_ROOTS[8] ?? '';
    const inclusion = [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ];
    expect(ct.path(5, 8)).toEqual(inclusion);
    expect(includes({ leaf: leafOf(CT_LEAVES[5] ?? ''), index: 5, size: 8, path: inclusion, root })).toBe(true);
    const consistency = [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ];
    expect(ct.proof(6, 8)).toEqual(consistency);
    const roots = { firstRoot: CT_ROOTS[6] ?? '', secondRoot: root };
    expect(isConsistent({ first: 6, second: 8, path: consistency, ...roots })).toBe(true);
  });
});

const sized = (max: number) =>
  fc.integer({ min: 1, max }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)));
const flip = (hash: string): string => `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`;

/** The path with one hash changed, removed, doubled or inserted: each change at each position. */
const spoilt = (path: readonly string[]): (readonly string[])[] => [
  ...path.map((hash, at) => path.with(at, flip(hash))),
  ...path.map((_, at) => path.toSpliced(at, 1)),
  ...path.map((hash, at) => path.toSpliced(at, 0, hash)),
  ...path.slice(1).map((hash, at) => path.with(at, hash).with(at + 1, path[at] ?? '')),
  [...path, path[0] ?? leaves[0] ?? ''],
];

/** Wrong numbers: close to the true one, and far from it. */
const others = (n: number): number[] =>
  [n - 1, n + 1, n + 2, 2 * n, Math.floor(n / 2), n + 2 ** 32, 2 ** 53 - 1, 0].filter((other) => other !== n);

const RANDOM = { seed: 9162, numRuns: 60 };

describe('random sizes to 100,000', () => {
  it('a true inclusion is the RFC’s and holds, and with any hash changed it does not', () => {
    fc.assert(
      fc.property(sized(MANY), ([index, size]) => {
        const claim = inclusionClaim(index, size);
        expect(claim.path).toEqual(tree.path(index, size));
        expect(includes(claim)).toBe(true);
        expect(includes({ ...claim, root: flip(claim.root) })).toBe(false);
        expect(includes({ ...claim, leaf: flip(claim.leaf) })).toBe(false);
        expect(spoilt(claim.path).filter((path) => includes({ ...claim, path }))).toEqual([]);
        expect(others(index).filter((other) => includes({ ...claim, index: other }))).toEqual([]);
      }),
      RANDOM,
    );
  });

  it('a true beginning is the RFC’s and consistent, and with any hash changed it is not', () => {
    fc.assert(
      fc.property(sized(MANY), ([before, second]) => {
        const claim = consistencyClaim(before + 1, second);
        expect(claim.path).toEqual(tree.proof(before + 1, second));
        expect(isConsistent(claim)).toBe(true);
        expect(isConsistent({ ...claim, firstRoot: flip(claim.firstRoot) })).toBe(false);
        expect(isConsistent({ ...claim, secondRoot: flip(claim.secondRoot) })).toBe(false);
        expect(spoilt(claim.path).filter((path) => isConsistent({ ...claim, path }))).toEqual([]);
      }),
      RANDOM,
    );
  });
});

// A path does not determine the size if two trees have the same shape above a leaf: leaf 0 has the same path in trees of 3 and of 4. That is
// why RFC 9162 has the size signed. So whether a changed size is accepted is compared with the recursive definition.
deepDescribe('a changed size, index or beginning is judged as the definition does', () => {
  const verdict = ({ leaf, index, size, path, root }: InclusionClaim): boolean =>
    index < size && rootByPath(leaf, index, size, path) === root;
  const beginning = ({ first, second, path, firstRoot, secondRoot }: ConsistencyClaim): boolean => {
    if (first < 1 || first > second) return false;
    const roots = rootsByProof(firstRoot, first, second, path);
    return roots?.older === firstRoot && roots.newer === secondRoot;
  };

  deepTest('of inclusion, at every size to 24', () => {
    const wrong = [...pairs(24)].flatMap(([index, size]) => {
      const claim = inclusionClaim(index, size);
      const claims = [...pairs(26)].map(([i, n]) => ({ ...claim, index: i, size: n }));
      const isRight = (other: InclusionClaim): boolean =>
        includes(other) === verdict(other) && (other.size !== size || includes(other) === (other.index === index));
      return claims.filter((other) => !isRight(other));
    });
    expect(wrong).toEqual([]);
  });

  deepTest('of consistency, at every size to 24', () => {
    const wrong = [...pairs(24)].flatMap(([before, second]) => {
      const claim = consistencyClaim(before + 1, second);
      const claims = [...pairs(26)].map(([i, n]) => ({ ...claim, first: i + 1, second: n }));
      return claims.filter((other) => isConsistent(other) !== beginning(other));
    });
    expect(wrong).toEqual([]);
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

it('has no proof in a tree that cannot be', () => {
  expect(() => inclusionRanges(4, 4)).toThrow(RangeError);
  expect(() => inclusionRanges(-1, 4)).toThrow(RangeError);
});
