// Compares the tree over a session, which is read in batches, with the definition of RFC 6962 over all thoughts.
import { expect, test } from 'vitest';
import { rootOf, sha256 } from '../../../test/support/ledger-check.js';
import { climb } from '../../../test/support/naive-proof.js';
import type { ReadTx, Row, SqlValue } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { pathInSession, rootOverThoughts } from './session-tree.js';

const HASHES = Array.from({ length: 2 * DOMAIN_LIMITS.sealBatch + 7 }, (_, i) => sha256(`thought ${i}`));

/** A store that knows one session with the first of these thoughts. */
const sessionOf = (size: number): ReadTx => ({
  get: async () => undefined,
  all: async <T extends Row>(_sql: string, ...[, place, limit]: SqlValue[]) =>
    HASHES.slice(Number(place), Math.min(size, Number(place) + Number(limit))).map(
      (hash) => ({ hash }) as unknown as T,
    ),
});

const SIZES = [
  1,
  2,
  3,
  4,
  5,
  7,
  8,
  9,
  DOMAIN_LIMITS.sealBatch - 1,
  DOMAIN_LIMITS.sealBatch,
  DOMAIN_LIMITS.sealBatch + 1,
  HASHES.length,
];

test.each(SIZES)('%i thoughts: the root, and a path from the first, the last and one in the middle', async (size) => {
  const tx = sessionOf(size);
  const { root, record_count } = await rootOverThoughts(tx, 's');
  expect([root, record_count]).toEqual([rootOf(HASHES.slice(0, size)), size]);
  for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
    const path = await pathInSession(tx, 's', index, size);
    expect(climb(HASHES[index] ?? '', index, size, path)).toBe(root);
  }
});

test('a part of the session, and nothing', async () => {
  const tx = sessionOf(10);
  const part = await rootOverThoughts(tx, 's', { from: 4, to: 8 });
  expect(part).toEqual({ root: rootOf(HASHES.slice(4, 8)), record_count: 4 });
  expect(await rootOverThoughts(sessionOf(0), 's')).toEqual({ root: rootOf([]), record_count: 0 });
});
