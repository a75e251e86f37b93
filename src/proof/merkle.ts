// Computes the RFC 6962 Merkle tree of a growing log, one leaf at a time. Pure; hashes are 64 lower-case hex digits.
import type { Hashes } from './hashes.js';

/** The roots of a tree's complete subtrees from left to right, largest first: one for each 1 bit of the tree's size. */
export type Frontier = readonly string[];

export interface TreeNode {
  readonly level: number;
  readonly index: number;
  readonly hash: string;
}

export interface Grown {
  readonly frontier: Frontier;
  /** The inner nodes that the added leaf completed, lowest first. */
  readonly completed: readonly TreeNode[];
}

/** RFC 6962 §2.1: the root of an empty tree is the SHA-256 of the empty string. */
export const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export interface GrowingTree {
  /** Adds the leaf with index `size` to a tree of `size` leaves. */
  readonly grow: (frontier: Frontier, size: number, leaf: string) => Grown;
  readonly rootOf: (frontier: Frontier) => string;
}

export const growingTree = ({ node: nodeHash }: Pick<Hashes, 'node'>): GrowingTree => ({
  grow: (frontier, size, leaf) => {
    const next = [...frontier];
    const completed: TreeNode[] = [];
    let node = leaf;
    let index = size;
    for (let level = 1; index % 2 === 1; level++) {
      const left = next.pop();
      if (left === undefined) throw new RangeError(`a tree of ${size} leaves needs a longer frontier`);
      node = nodeHash(left, node);
      index = (index - 1) / 2;
      completed.push({ level, index, hash: node });
    }
    next.push(node);
    return { frontier: next, completed };
  },
  // RFC 6962 §2.1: the root is computed by hashing the frontier together from the right.
  rootOf: (frontier) =>
    frontier.length === 0 ? EMPTY_ROOT : frontier.reduceRight((right, left) => nodeHash(left, right)),
});
