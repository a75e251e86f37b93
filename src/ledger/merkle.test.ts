import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frontier, grow, leafHash, nodeHash, rootOf, type TreeNode } from './merkle.js';

const sha = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** RFC 6962 §2.1 word for word: split at the largest power of two below n. */
const naiveRoot = (leaves: readonly string[]): string => {
  if (leaves.length === 0) return sha('');
  if (leaves.length === 1) return leaves[0] ?? '';
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const [left, right] = [naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k))];
  return sha(Buffer.from([1]), Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));
};

const growAll = (leaves: readonly string[]): { frontier: Frontier; nodes: TreeNode[] } =>
  leaves.reduce<{ frontier: Frontier; nodes: TreeNode[] }>(
    ({ frontier, nodes }, leaf, size) => {
      const grown = grow(frontier, size, leaf);
      return { frontier: grown.frontier, nodes: [...nodes, ...grown.completed] };
    },
    { frontier: [], nodes: [] },
  );

const leavesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => leafHash(`record ${i}`));

describe('the tree', () => {
  it('hashes a leaf with 0x00 and a node with 0x01 before it', () => {
    expect(leafHash('é')).toBe(sha(Buffer.from([0]), Buffer.from('é')));
    const [left, right] = [sha('l'), sha('r')];
    expect(nodeHash(left, right)).toBe(sha(Buffer.from([1]), Buffer.from(left, 'hex'), Buffer.from(right, 'hex')));
  });

  it('has the RFC 6962 root at every size from 0 to 300', () => {
    const leaves = leavesOf(300);
    let frontier: Frontier = [];
    expect(rootOf(frontier)).toBe(naiveRoot([]));
    for (const [size, leaf] of leaves.entries()) {
      ({ frontier } = grow(frontier, size, leaf));
      expect(rootOf(frontier)).toBe(naiveRoot(leaves.slice(0, size + 1)));
    }
  });

  it('completes every inner node exactly once, with the hash of its range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), (count) => {
        const leaves = leavesOf(count);
        const { nodes } = growAll(leaves);
        const expected: TreeNode[] = [];
        for (let level = 1; 2 ** level <= count; level++) {
          for (let index = 0; (index + 1) * 2 ** level <= count; index++) {
            const hash = naiveRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));
            expected.push({ level, index, hash });
          }
        }
        const byPlace = (a: TreeNode, b: TreeNode) => a.level - b.level || a.index - b.index;
        expect(nodes.toSorted(byPlace)).toEqual(expected.toSorted(byPlace));
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a frontier that does not fit the size', () => {
    expect(() => grow([], 1, leafHash('x'))).toThrow(RangeError);
  });
});
