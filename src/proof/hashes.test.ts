import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeCrypto } from '../../test/proofs/node-crypto.js';
import { hashes } from '../ledger/hashes.js';
import { grow, rootOf } from '../ledger/tree.js';
import { hashesFrom } from './hashes.js';
import { EMPTY_ROOT, type Frontier, growingTree } from './merkle.js';

const portable = hashesFrom(nodeCrypto.sha256);
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));

it('are those of the ledger, whatever is hashed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), hash, hash, fc.uint8Array(), (text, left, right, bytes) => {
      expect(portable.leaf(text)).toBe(hashes.leaf(text));
      expect(portable.node(left, right)).toBe(hashes.node(left, right));
      expect(portable.salted(bytes, text)).toBe(hashes.salted(bytes, text));
      expect(portable.bytes(bytes)).toBe(hashes.bytes(bytes));
    }),
    { numRuns: 2_000 },
  );
});

it('make the same tree', () => {
  const tree = growingTree(portable);
  let [ours, theirs]: Frontier[] = [[], []];
  for (let size = 0; size < 300; size++) {
    expect(tree.rootOf(ours ?? [])).toBe(rootOf(theirs ?? []));
    ours = tree.grow(ours ?? [], size, portable.leaf(`record ${size}`)).frontier;
    theirs = grow(theirs ?? [], size, hashes.leaf(`record ${size}`)).frontier;
  }
  expect(EMPTY_ROOT).toBe(portable.bytes(Uint8Array.of()));
});

it.each([undefined, 'text', Promise.resolve(new Uint8Array(32)), new Uint8Array(20)])(
  'say that a sha256 is none that returns %s',
  (wrong) => {
    expect(() => hashesFrom(() => wrong as never).leaf('x')).toThrow('sha256 must return the 32 bytes');
  },
);
