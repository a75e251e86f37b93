import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafOf, naiveTree } from '../../test/support/rfc6962.js';
import { checkConsistency, signCheckpoint } from '../ledger/notes.js';
import { verifierOf } from '../ledger/tree.js';
import { originOf } from './checkpoint.js';
import { readConsistency, writeConsistency } from './consistency-file.js';
import { consistencyRanges } from './merkle-proof.js';

// The files that are refused, with the reason, are in test/vectors/consistency.ts.

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const origin = originOf('9f'.repeat(16));
const verifier = verifierOf(origin, publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
const tree = naiveTree(Array.from({ length: 300 }, (_, i) => leafOf(`record ${i}`)));

const noteOf = (size: number): string => signCheckpoint({ origin, size, root: tree.root(0, size) }, privateKey);
const fileOf = (old: number, size: number) => ({
  old,
  path: old === 0 ? [] : consistencyRanges(old, size).map(({ from, to }) => tree.root(from, to)),
  checkpoint: noteOf(size),
});

describe('a consistency file', () => {
  const text = writeConsistency(fileOf(77, 300));
  const older = noteOf(77);

  it('is the body of an add-checkpoint request', () => {
    const [first, ...lines] = text.split('\n');
    expect(first).toBe('old 77');
    const blank = lines.indexOf('');
    expect(lines.slice(0, blank).map((line) => Buffer.from(line, 'base64').toString('hex'))).toEqual(
      tree.proof(77, 300),
    );
    expect(lines.slice(blank + 1).join('\n')).toBe(noteOf(300));
  });

  it('is read as it was written, and holds at every size from 0 to 300', () => {
    for (const [old, size] of [...Array(300).keys()].flatMap((n) => [[n, 300] as const, [n, n + 1] as const])) {
      const file = fileOf(old, size);
      const written = writeConsistency(file);
      expect(readConsistency(written)).toEqual(file);
      expect(checkConsistency(written, { older: noteOf(old), verifier })).toMatchObject({
        holds: true,
        older: { size: old },
        newer: { size },
      });
    }
  });

  it('with any character changed, added or left out does not hold', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        if (changed !== text) expect(checkConsistency(changed, { older, verifier }).holds).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not hold against another older checkpoint', () => {
    for (const size of [0, 1, 76, 78, 300]) {
      expect(checkConsistency(text, { older: noteOf(size), verifier }).holds).toBe(false);
    }
    const fork = signCheckpoint({ origin, size: 77, root: leafOf('another history') }, privateKey);
    expect(checkConsistency(text, { older: fork, verifier })).toEqual({
      holds: false,
      why: 'the newer checkpoint does not continue the older one',
    });
  });
});
