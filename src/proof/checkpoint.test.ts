import { type createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCheckpoint, signCheckpoint } from '../ledger/notes.js';
import { verifierOf } from '../ledger/tree.js';
import { originOf } from './checkpoint.js';
import { vkeyOf } from './verifier.js';

const rawPublic = (key: ReturnType<typeof createPrivateKey>): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32);
const { privateKey } = generateKeyPairSync('ed25519');
const origin = originOf('9f'.repeat(16));
const verifier = verifierOf(origin, rawPublic(privateKey));
const checkpoint = { origin, size: 1000, root: 'ab'.repeat(32) };
const note = signCheckpoint(checkpoint, privateKey);

describe('a checkpoint', () => {
  it('has the C2SP form', () => {
    const lines = note.split('\n');
    expect(lines.slice(0, 4)).toEqual([origin, '1000', Buffer.from('ab'.repeat(32), 'hex').toString('base64'), '']);
    expect(lines[4]).toMatch(new RegExp(`^— ${origin} [A-Za-z0-9+/]+=*$`));
    expect(lines.slice(5)).toEqual(['']);
  });

  it('opens with its key', () => {
    expect(openCheckpoint(note, verifier)).toEqual({ checkpoint });
  });

  it('names its key as C2SP signed-note does', () => {
    // The example of the specification: name, key hash and key belong together.
    const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    const key = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1);
    expect(vkeyOf(verifierOf('PeterNeumann', key))).toBe(vkey);
  });

  it('with any character changed, added or left out does not open', () => {
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.string({ minLength: 0, maxLength: 2 }), (at, put) => {
        const changed = note.slice(0, at) + put + note.slice(at + 1);
        if (changed === note) return;
        expect(openCheckpoint(changed, verifier)).toHaveProperty('refused');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['nothing', '', 'malformed'],
    ['no signature', note.slice(0, note.indexOf('—')), 'malformed'],
    ['a text after the last line', `${note}x`, 'malformed'],
    ['CRLF', note.replaceAll('\n', '\r\n'), 'malformed'],
    ['a size with a zero before it', note.replace('1000', '01000'), 'malformed'],
    ['a size beyond 2^53', note.replace('1000', '9007199254740993'), 'malformed'],
    ['a root of 31 bytes', signCheckpoint({ ...checkpoint, root: 'ab'.repeat(31) }, privateKey), 'malformed'],
    [
      'another origin',
      signCheckpoint({ ...checkpoint, origin: originOf('00'.repeat(16)) }, privateKey),
      'wrong origin',
    ],
    ['another key', signCheckpoint(checkpoint, generateKeyPairSync('ed25519').privateKey), 'not signed by this key'],
    ['the signature twice', note + note.slice(note.indexOf('—')), 'not signed by this key'],
  ])('refuses %s', (_, text, refused) => {
    expect(openCheckpoint(text, verifier)).toEqual({ refused });
  });

  it('refuses signatures of others unless they are allowed', () => {
    const witness = signCheckpoint(
      { ...checkpoint, origin: 'witness.example' },
      generateKeyPairSync('ed25519').privateKey,
    );
    const cosigned = note + witness.slice(witness.indexOf('—'));
    expect(openCheckpoint(cosigned, verifier)).toEqual({ refused: 'unknown signature' });
    expect(openCheckpoint(cosigned, verifier, { allowCosignatures: true })).toEqual({ checkpoint });
  });

  it('takes another key under its own name for a stranger, signed-note "Signatures"', () => {
    const stranger = signCheckpoint(checkpoint, generateKeyPairSync('ed25519').privateKey);
    const both = note + stranger.slice(stranger.indexOf('—'));
    expect(openCheckpoint(both, verifier)).toEqual({ refused: 'unknown signature' });
    expect(openCheckpoint(both, verifier, { allowCosignatures: true })).toEqual({ checkpoint });
    expect(openCheckpoint(stranger, verifier, { allowCosignatures: true })).toHaveProperty('refused');
  });

  it.each(['a+b', 'a\u0001b', 'a\u0085b', 'a\u00a0b', 'a\ufffdb'])('refuses the key name %j of a witness', (name) => {
    const cosigned = `${note}— ${name} ${Buffer.alloc(68).toString('base64')}\n`;
    expect(openCheckpoint(cosigned, verifier, { allowCosignatures: true })).toEqual({ refused: 'malformed' });
  });
});
