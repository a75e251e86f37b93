// The RFC 6962 tree as the log grows: pure, one leaf at a time. Hashes are 64 lower-case hex digits.
import { hash } from 'node:crypto';

/** RFC 6962 §2.1: 0x00 before a leaf keeps it from passing as an inner node. */
export const leafHash = (body: string): string => hash('sha256', `\u0000${body}`);

/** RFC 6962 §2.1: 0x01 before two children keeps an inner node from passing as a leaf. */
export const nodeHash = (left: string, right: string): string =>
  hash('sha256', Buffer.from(`01${left}${right}`, 'hex'));

/** Roots of the complete subtrees from left to right, largest first: one for each 1 bit of the size. */
export type Frontier = readonly string[];

export interface TreeNode {
  readonly level: number;
  readonly index: number;
  readonly hash: string;
}

export interface Grown {
  readonly frontier: Frontier;
  /** Inner nodes that this leaf completed, lowest first. */
  readonly completed: readonly TreeNode[];
}

/** Adds the leaf with index `size` to a tree of `size` leaves. */
export const grow = (frontier: Frontier, size: number, leaf: string): Grown => {
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
};

/** RFC 6962 §2.1: the root of no leaves is the hash of nothing; the rest folds the frontier from the right. */
export const rootOf = (frontier: Frontier): string =>
  frontier.length === 0 ? hash('sha256', '') : frontier.reduceRight((right, left) => nodeHash(left, right));
