import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { deepTest, test as it } from '../../test/support/by-gate.js';
import { CT_LEAVES, CT_ROOTS, leafOf, naiveTree, nodeOf, sha256 } from '../../test/support/rfc6962.js';
import { leafHash, nodeHash } from '../ledger/hashes.js';
import { grow, rootOf } from '../ledger/tree.js';
import type { Frontier, TreeNode } from './merkle.js';

interface Growth {
  /** By size, from 0. */
  readonly roots: readonly string[];
  readonly nodes: readonly TreeNode[];
}

const growAll = (leaves: readonly string[]): Growth => {
  let frontier: Frontier = [];
  const roots = [rootOf(frontier)];
  const nodes: TreeNode[] = [];
  for (const [size, leaf] of leaves.entries()) {
    const grown = grow(frontier, size, leaf);
    frontier = grown.frontier;
    roots.push(rootOf(frontier));
    nodes.push(...grown.completed);
  }
  return { roots, nodes };
};

const leavesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => leafHash(`record ${i}`));
const sizes = (most: number): number[] => Array.from({ length: most + 1 }, (_, size) => size);

describe('the tree', () => {
  it('hashes a leaf with 0x00 and a node with 0x01 before it', () => {
    expect(leafHash('é')).toBe(leafOf(Buffer.from('é')));
    const [left, right] = [sha256('l'), sha256('r')];
    expect(nodeHash(left, right)).toBe(nodeOf(left, right));
  });

  it('has the roots of the reference implementation of Certificate Transparency', () => {
    const { roots } = growAll(CT_LEAVES.map((leaf) => leafHash(leaf.toString('latin1'))));
    expect(roots).toEqual(CT_ROOTS);
  });

  it('has the RFC 6962 root at every size from 0 to 300', () => {
    const leaves = leavesOf(300);
    const tree = naiveTree(leaves);
    expect(growAll(leaves).roots).toEqual(sizes(300).map((size) => tree.root(0, size)));
  });

  deepTest('has the RFC 6962 root at sizes to 100,000', () => {
    const leaves = leavesOf(100_000);
    const tree = naiveTree(leaves);
    const { roots } = growAll(leaves);
    const picked = fc.sample(fc.integer({ min: 301, max: 100_000 }), { numRuns: 40, seed: 6962 });
    for (const size of [65_535, 65_536, 65_537, 100_000, ...picked]) expect(roots[size]).toBe(tree.root(0, size));
  });

  it('completes every inner node exactly once, with the hash of its range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), (count) => {
        const leaves = leavesOf(count);
        const tree = naiveTree(leaves);
        const expected: TreeNode[] = [];
        for (let level = 1; 2 ** level <= count; level++) {
          for (let index = 0; (index + 1) * 2 ** level <= count; index++) {
            expected.push({ level, index, hash: tree.root(index * 2 ** level, (index + 1) * 2 ** level) });
          }
        }
        const byPlace = (a: TreeNode, b: TreeNode) => a.level - b.level || a.index - b.index;
        expect(growAll(leaves).nodes.toSorted(byPlace)).toEqual(expected.toSorted(byPlace));
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a frontier that does not fit the size', () => {
    expect(() => grow([], 1, leafHash('x'))).toThrow(RangeError);
  });
});
