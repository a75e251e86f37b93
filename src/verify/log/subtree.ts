// Builds, leaf by leaf, a subtree of a log's RFC 6962 Merkle tree; the subtree begins at a multiple of its own width.
import { hash } from 'node:crypto';
import { TILE_LEVEL } from '../../ledger/stored-tree.js';
import type { TreeNode } from '../../proof/merkle.js';

export interface Subtree {
  /** The index of the subtree's first leaf in the log. */
  readonly from: number;
  /** The roots of the complete smaller subtrees of which this subtree consists so far, largest first. */
  readonly frontier: string[];
  /** The complete nodes on those tree levels that the store keeps. */
  readonly tiles: TreeNode[];
  count: number;
  readonly bytes: Buffer;
}

export const subtreeFrom = (from: number): Subtree => ({
  from,
  frontier: [],
  tiles: [],
  count: 0,
  bytes: Buffer.alloc(1 + 2 * HASH_BYTES),
});

const HASH_BYTES = 32;

/** Hashes two nodes like `nodeHash` of merkle.ts (RFC 6962 §2.1), but with one buffer for all nodes of a tree. */
const nodeHashIn = (bytes: Buffer, left: string, right: string): string => {
  bytes[0] = 1;
  bytes.write(left, 1, 'hex');
  bytes.write(right, 1 + HASH_BYTES, 'hex');
  return hash('sha256', bytes);
};

/** Adds a leaf like `grow` of merkle.ts, but changes the tree in place, because this runs for every record. */
export const addLeaf = (tree: Subtree, leaf: string): void => {
  let node = leaf;
  let index = tree.count;
  for (let level = 1; index % 2 === 1; level++) {
    node = nodeHashIn(tree.bytes, tree.frontier.pop() ?? '', node);
    index = (index - 1) / 2;
    if (level >= TILE_LEVEL) tree.tiles.push({ level, index: tree.from / 2 ** level + index, hash: node });
  }
  tree.frontier.push(node);
  tree.count += 1;
};
