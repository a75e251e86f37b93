import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { now, openLedger } from '../../test/support/stores.js';
import { readHead } from './head.js';
import { append } from './ledger.js';
import { consistencyPath, inclusionPath, rootAt } from './stored-tree.js';
import { includes, isConsistent } from './tree.js';

const RECORDS = 1_300;

/** RFC 6962 §2.1, computed recursively. */
const naiveRoot = (leaves: readonly string[]): string => {
  if (leaves.length <= 1) return leaves[0] ?? createHash('sha256').digest('hex');
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const inner = `01${naiveRoot(leaves.slice(0, k))}${naiveRoot(leaves.slice(k))}`;
  return createHash('sha256').update(Buffer.from(inner, 'hex')).digest('hex');
};

const filled = async () => {
  const { store, ledger } = await openLedger();
  const { log } = ledger;
  const gap = { kind: 'gap', count: 1, first_at: now(), last_at: now(), reason: 'test' } as const;
  const records = Array.from({ length: RECORDS }, () => ({ at: now(), record: gap }));
  await store.write((tx) => append(tx, log, records));
  const rows = await store.read((tx) => tx.all<{ leaf: string }>('SELECT leaf FROM actions ORDER BY id'));
  const { base } = await store.read((tx) => readHead(tx, log.id));
  return { store, place: { log: log.id, base }, leaves: rows.map((row) => row.leaf) };
};

describe('the tree of a log, from stored nodes', () => {
  it('has the root of every size', async () => {
    const { store, place, leaves } = await filled();
    for (const size of [0, 1, 2, 255, 256, 257, 511, 512, 513, 768, 1023, 1024, 1025, 1300]) {
      const root = await store.read((tx) => rootAt(tx, place, size));
      expect(root, `size ${size}`).toBe(naiveRoot(leaves.slice(0, size)));
    }
  });

  it('proves records and beginnings', async () => {
    const { store, place, leaves } = await filled();
    for (const [index, size] of [
      [0, 1],
      [0, 1300],
      [255, 256],
      [256, 1300],
      [700, 1025],
      [1299, 1300],
    ] as const) {
      const path = await store.read((tx) => inclusionPath(tx, place, index, size));
      const root = naiveRoot(leaves.slice(0, size));
      const leaf = leaves[index] as string;
      expect(includes({ leaf, index, size, path, root }), `${index} in ${size}`).toBe(true);
    }
    for (const [first, second] of [
      [1, 2],
      [256, 1300],
      [300, 1024],
      [1023, 1300],
      [1024, 1300],
    ] as const) {
      const path = await store.read((tx) => consistencyPath(tx, place, first, second));
      const [firstRoot, secondRoot] = [first, second].map((size) => naiveRoot(leaves.slice(0, size)));
      const claim = { first, firstRoot: firstRoot as string, second, secondRoot: secondRoot as string, path };
      expect(isConsistent(claim), `${first} begins ${second}`).toBe(true);
    }
  });

  it('says what is missing instead of a wrong root', async () => {
    const { store, place } = await filled();
    await store.write((tx) => tx.run('DELETE FROM tiles WHERE level = 9 AND idx = 0'));
    await expect(store.read((tx) => rootAt(tx, place, 600))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });
});
