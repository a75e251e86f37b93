// Compares the Merkle tree nodes in the store with the nodes computed from the records.
import type { TreeNode } from '../../proof/merkle.js';
import type { StoreSnapshot } from '../reading.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import { tilesIn } from './ledger-repository.js';

/** Reports stored nodes that differ from `nodes`, which must be consecutive and in order on each level. */
export const compareTiles = (tx: StoreSnapshot, log: string, nodes: readonly TreeNode[], found: Found): void => {
  for (const level of new Set(nodes.map((node) => node.level))) {
    const wanted = nodes.filter((node) => node.level === level);
    const [first, last] = [wanted[0]?.index ?? 0, wanted.at(-1)?.index ?? 0];
    const kept = new Map(tilesIn(tx, log, level, [first, last + 1]).map(([idx, hash]) => [idx, hash]));
    for (const { index, hash } of wanted) {
      if (kept.get(index) === hash) continue;
      const where = { log, table: 'tiles', id: `${level}/${index}` };
      addFinding(
        found,
        'tree',
        where,
        `The stored node ${kept.has(index) ? 'does not match the records' : 'is missing'}.`,
      );
    }
  }
};
