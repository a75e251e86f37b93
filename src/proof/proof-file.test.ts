import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafHash, saltedDigest } from '../ledger/hashes.js';
import { checkProof, signCheckpoint } from '../ledger/notes.js';
import { grow, rootOf, verifierOf } from '../ledger/tree.js';
import { canonicalJson } from './canonical-json.js';
import { originOf } from './checkpoint.js';
import type { Frontier } from './merkle.js';
import { inclusionRanges } from './merkle-proof.js';
import { type ProofFile, readProof, writeProof } from './proof-file.js';

const { privateKey } = generateKeyPairSync('ed25519');
const origin = originOf('9f'.repeat(16));
const verifier = verifierOf(origin, createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).subarray(-32));

const rootOfLeaves = (leaves: readonly string[]): string =>
  rootOf(leaves.reduce<Frontier>((frontier, leaf, size) => grow(frontier, size, leaf).frontier, []));
const pathIn = (leaves: readonly string[], index: number): string[] =>
  inclusionRanges(index, leaves.length).map(({ from, to }) => rootOfLeaves(leaves.slice(from, to)));

const salt = '000102030405060708090a0b0c0d0e0f';
const thoughtText = (i: number): string =>
  canonicalJson({ v: 1, seq: i, content_digest: saltedDigest(Buffer.from(salt, 'hex'), `thought ${i} ✓`) });
const thoughts = Array.from({ length: 13 }, (_, i) => thoughtText(i));
const thoughtLeaves = thoughts.map(leafHash);
const seal = canonicalJson({
  v: 1,
  kind: 'seal',
  session_id: 's',
  root: rootOfLeaves(thoughtLeaves),
  record_count: 13,
});
const leaves = Array.from({ length: 100 }, (_, i) => leafHash(i === 70 ? seal : `record ${i}`));
const checkpoint = signCheckpoint({ origin, size: 100, root: rootOfLeaves(leaves) }, privateKey);

const sealProof: ProofFile = { extra: { record: seal }, index: 70, path: pathIn(leaves, 70), checkpoint };
const thoughtProof: ProofFile = {
  ...sealProof,
  extra: {
    record: seal,
    thought: { record: thoughts[5] ?? '', content: 'thought 5 ✓', salt, index: 5, path: pathIn(thoughtLeaves, 5) },
  },
};

describe.each([
  ['of a record', sealProof],
  ['of a thought', thoughtProof],
])('a proof %s', (_, proof) => {
  const text = writeProof(proof);

  it('is read as it was written, and holds', () => {
    expect(readProof(text)).toEqual(proof);
    expect(checkProof(text, verifier)).toMatchObject({ holds: true, checkpoint: { size: 100 } });
  });

  it('with any character changed, added or left out does not hold', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        if (changed !== text) expect(checkProof(changed, verifier).holds).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});

const altered = (change: (thought: NonNullable<ProofFile['extra']['thought']>) => object): string => {
  const { thought } = thoughtProof.extra;
  if (thought === undefined) throw new Error('no thought');
  return writeProof({ ...thoughtProof, extra: { record: seal, thought: { ...thought, ...change(thought) } } });
};

it.each([
  [
    'another content',
    altered(() => ({ content: 'something else' })),
    'the content does not match the digest in the thought',
  ],
  ['a salt that is none', altered(() => ({ salt: 'xyz' })), 'the content does not match the digest in the thought'],
  ['another thought', altered(() => ({ record: thoughts[6] })), 'the thought is not in the sealed session'],
  ['another place', altered(() => ({ index: 6 })), 'the thought is not in the sealed session'],
  ['a reversed path', altered(({ path }) => ({ path: path.toReversed() })), 'the thought is not in the sealed session'],
  ['a content without its salt', altered(() => ({ content: 'anything', salt: null })), 'malformed'],
  ['a salt without its content', altered(() => ({ content: null })), 'malformed'],
  ['a negative place', altered(() => ({ index: -1 })), 'malformed'],
  ['a path of a thousand', altered(() => ({ path: Array(1_000).fill('ab'.repeat(32)) })), 'malformed'],
  [
    'a record that is no seal',
    writeProof({
      ...thoughtProof,
      index: 3,
      path: pathIn(leaves, 3),
      extra: { ...thoughtProof.extra, record: 'record 3' },
    }),
    'the record is not the seal of a session',
  ],
  [
    'another record',
    writeProof({ ...sealProof, extra: { record: 'forged' } }),
    'the record is not in the tree of the checkpoint',
  ],
  [
    'extra that is not canonical',
    writeProof(sealProof).replace(/^extra .*$/m, `extra ${Buffer.from('{ "record": "x" }').toString('base64')}`),
    'malformed',
  ],
  [
    'a byte order mark before extra',
    writeProof(sealProof).replace(/^extra .*$/m, `extra ${Buffer.from(`\ufeff{"record":"x"}`).toString('base64')}`),
    'malformed',
  ],
  ['CRLF', writeProof(sealProof).replaceAll('\n', '\r\n'), 'malformed'],
  ['nothing', '', 'malformed'],
])('refuses %s', (_, text, why) => {
  expect(checkProof(text, verifier)).toEqual({ holds: false, why });
});

it('an erased thought leaves its proof standing', () => {
  expect(
    checkProof(
      altered(() => ({ content: null, salt: null })),
      verifier,
    ).holds,
  ).toBe(true);
});
