import { describe, expect, it } from 'vitest';
import { nodeCrypto as crypto } from '../../test/proofs/node-crypto.js';
import { bytesOf, VECTOR_KEY, vectorPrivateKey } from '../../test/vectors/read.js';
import { leafHash, nodeHash } from '../ledger/hashes.js';
import { signCheckpoint } from '../ledger/notes.js';
import { verifierOf } from '../ledger/tree.js';
import { canonicalJson } from './canonical-json.js';
import { verifyCheckpoint, verifyConsistency, verifyProof } from './index.js';
import { writeProof } from './proof-file.js';
import { vkeyOf } from './verifier.js';

const { vkey, log_id: log, origin } = VECTOR_KEY;
const textOf = (name: string): string => String(bytesOf(name));
const note = textOf('21.checkpoint');
const older = textOf('13.checkpoint');
const proof = textOf('record.tlog-proof');
const consistency = textOf('13-to-21.consistency');
const otherKey = vkeyOf(verifierOf('example.org/log', new Uint8Array(32).fill(7)));
const cosigned = `— witness.example ${Buffer.alloc(68, 7).toString('base64')}\n`;

const edited = (change: (extra: string) => string): string =>
  proof.replace(/^extra (.*)$/m, (_, encoded: string) => {
    return `extra ${Buffer.from(change(Buffer.from(encoded, 'base64').toString())).toString('base64')}`;
  });

const hashLine = Buffer.alloc(32, 1).toString('base64');
const longer = (text: string): string => text.replace('\n\n', `\n${`${hashLine}\n`.repeat(100)}\n`);

/** A signed log of two records; the proof is of the first. */
const proofOf = (record: string): string => {
  const other = leafHash('another record');
  const root = nodeHash(leafHash(record), other);
  const checkpoint = signCheckpoint({ origin, size: 2, root }, vectorPrivateKey);
  return writeProof({ extra: { record }, index: 0, path: [other], checkpoint });
};

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  42,
  {},
  [],
  Symbol('text'),
  '',
  '\ud800',
  '\n\n',
  'x'.repeat(10_000_000),
  '\n'.repeat(10_000_000),
  `c2sp.org/tlog-proof@v1\nextra ${'A'.repeat(10_000_000)}\nindex 0\n\n${note}`,
  `c2sp.org/tlog-proof@v1\nextra ${Buffer.from('['.repeat(1_000_000)).toString('base64')}\nindex 0\n\n${note}`,
  Object.assign(() => {}, { toString: () => note }),
];

describe('what is no such file is malformed, whatever it is', () => {
  it.each(HOSTILE.map((value, at) => [at, value] as const))('%i', async (_, value) => {
    const bad = value as string;
    expect(await verifyCheckpoint(bad, vkey, crypto)).toEqual({ holds: false, why: 'malformed' });
    expect(await verifyProof(bad, vkey, crypto)).toMatchObject({
      holds: false,
      why: expect.stringContaining('malformed'),
    });
    expect(await verifyConsistency(older, bad, vkey, crypto)).toMatchObject({ holds: false });
    expect(await verifyConsistency(bad, consistency, vkey, crypto)).toMatchObject({
      holds: false,
      why: expect.stringContaining('malformed'),
    });
  });
});

describe('a key that is none', () => {
  const wrong = [
    ...HOSTILE,
    otherKey.slice(1),
    `${vkey} `,
    vkey.replace(origin, 'example.org'),
    `${origin}+${otherKey.slice(16)}`,
  ];
  it.each(wrong.map((value, at) => [at, value] as const))('%i', async (_, value) => {
    const expected = { holds: false, why: expect.stringContaining('not an Ed25519 vkey') };
    expect(await verifyCheckpoint(note, value as string, crypto)).toEqual(expected);
    expect(await verifyProof(proof, value as string, crypto)).toEqual(expected);
    expect(await verifyConsistency(older, consistency, value as string, crypto)).toEqual(expected);
  });
});

describe('a checkpoint', () => {
  it('holds', async () => {
    expect(await verifyCheckpoint(note, vkey, crypto)).toMatchObject({ holds: true, checkpoint: { origin, size: 21 } });
  });

  it.each([
    ['another key', note, otherKey, 'wrong origin'],
    ['another size', note.replace('\n21\n', '\n20\n'), vkey, 'not signed by this key'],
    ['a witness beside it', note + cosigned, vkey, 'unknown signature'],
    ['its signature twice', note + note.slice(note.indexOf('—')), vkey, 'not signed by this key'],
    ['half of a surrogate pair', `\udfff${note}`, vkey, 'wrong origin'],
    ['a line too many', note.replace('\n\n', '\nmore\n\n'), vkey, 'malformed'],
    ['CRLF', note.replaceAll('\n', '\r\n'), vkey, 'malformed'],
  ])('does not hold: %s', async (_, text, key, why) => {
    expect(await verifyCheckpoint(text, key, crypto)).toEqual({ holds: false, why });
  });

  it('may be cosigned where that is said', async () => {
    const options = { allowCosignatures: true };
    expect(await verifyCheckpoint(note + cosigned, vkey, crypto, options)).toMatchObject({ holds: true });
    expect(await verifyCheckpoint(note, vkey, crypto, null as never)).toMatchObject({ holds: true });
  });
});

describe('a proof', () => {
  const record = { v: 1, log, seq: 0, kind: 'gap' };

  it('holds', async () => {
    expect(await verifyProof(proof, vkey, crypto)).toMatchObject({ holds: true, proof: { index: 9 } });
    expect(await verifyProof(proofOf(canonicalJson(record)), vkey, crypto)).toMatchObject({ holds: true });
  });

  it.each([
    ['another key', proof, otherKey, 'checkpoint: wrong origin'],
    ['another record', edited((extra) => extra.replace('sample', 'simple')), vkey, 'not in the tree'],
    ['another index', proof.replace('index 9', 'index 8'), vkey, 'not in the tree'],
    ['a path too long', longer(proof), vkey, 'malformed'],
    ['one hash too many', proof.replace('\n\n', `\n${hashLine}\n\n`), vkey, 'not in the tree'],
    ['a witness', proof + cosigned, vkey, 'checkpoint: unknown signature'],
    ['extra that is not canonical', edited((extra) => extra.replace(':', ': ')), vkey, 'malformed'],
    ['half of a surrogate pair in extra', edited((extra) => extra.replace('sample', '\\ud800')), vkey, 'malformed'],
    ['a record of another log', proofOf(canonicalJson({ ...record, log: '00'.repeat(16) })), vkey, 'another place'],
    ['a record of another seq', proofOf(canonicalJson({ ...record, seq: 1 })), vkey, 'another place'],
    ['a record that is not JSON', proofOf('hello'), vkey, 'another place'],
    ['a record that is an array', proofOf('[0]'), vkey, 'another place'],
  ])('does not hold: %s', async (_, text, key, why) => {
    expect(await verifyProof(text, key, crypto)).toEqual({ holds: false, why: expect.stringContaining(why) });
  });
});

describe('a consistency file', () => {
  it('holds', async () => {
    const held = { holds: true, older: { size: 13 }, newer: { size: 21 } };
    expect(await verifyConsistency(older, consistency, vkey, crypto)).toMatchObject(held);
  });

  it.each([
    ['the two swapped', consistency, older, vkey, 'malformed'],
    ['the newer note as the older one', note, consistency, vkey, 'another size'],
    ['another key', older, consistency, otherKey, 'older checkpoint: wrong origin'],
    ['a path too long', older, longer(consistency), vkey, 'malformed'],
    ['one hash too many', older, consistency.replace('\n\n', `\n${hashLine}\n\n`), vkey, 'does not continue'],
    ['another beginning', older, consistency.replace('old 13', 'old 12'), vkey, 'another size'],
    ['a witness on the newer', older, consistency + cosigned, vkey, 'newer checkpoint: unknown signature'],
  ])('does not hold: %s', async (_, first, file, key, why) => {
    expect(await verifyConsistency(first, file, key, crypto)).toEqual({
      holds: false,
      why: expect.stringContaining(why),
    });
  });
});

describe('the crypto that was handed in', () => {
  const failing = () => {
    throw new Error('no crypto here');
  };

  it('rejects where it throws: that says nothing about the proof', async () => {
    await expect(verifyProof(proof, vkey, { ...crypto, sha256: failing })).rejects.toThrow('no crypto here');
    await expect(verifyProof(proof, vkey, { ...crypto, verifyEd25519: failing })).rejects.toThrow('no crypto here');
    const later = { ...crypto, verifyEd25519: () => Promise.reject(new Error('later')) };
    await expect(verifyCheckpoint(note, vkey, later)).rejects.toThrow('later');
    await expect(verifyConsistency(older, consistency, vkey, undefined as never)).rejects.toThrow();
  });

  it.each([1, 'true', {}, undefined])('is believed where it says true, not where it says %j', async (said) => {
    const vague = { ...crypto, verifyEd25519: () => said as never };
    expect(await verifyProof(proof, vkey, vague)).toEqual({ holds: false, why: 'checkpoint: not signed by this key' });
  });

  it('gets bytes of its own: what it does to them changes no verdict', async () => {
    const rude = {
      sha256: (bytes: Uint8Array<ArrayBuffer>) => {
        const digest = crypto.sha256(bytes);
        bytes.fill(0);
        return digest;
      },
      verifyEd25519: async (claim: Parameters<typeof crypto.verifyEd25519>[0]) => {
        const good = await crypto.verifyEd25519(claim);
        for (const part of [claim.publicKey, claim.message, claim.signature]) part.fill(0);
        return good;
      },
    };
    expect(await verifyProof(proof, vkey, rude)).toMatchObject({ holds: true });
    expect(await verifyConsistency(older, consistency, vkey, rude)).toMatchObject({ holds: true });
  });
});
