// The public key of a log as people pass it on: a C2SP vkey, `<name>+<key hash>+<base64 of algorithm and key>`.

import { fromBase64, toBase64 } from './base64.js';
import { joined, toUtf8 } from './bytes.js';
import { originOf } from './checkpoint.js';
import type { Hashes } from './hashes.js';
import { PROOF_LIMITS } from './limits.js';

export interface Verifier {
  readonly name: string;
  /** The first four bytes of SHA-256(name ‖ "\n" ‖ 0x01 ‖ public key), in hex. */
  readonly keyHash: string;
  /** The raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** The algorithm byte of Ed25519 in C2SP signed notes. */
const ED25519 = Uint8Array.of(1);
const KEY_BYTES = 32;
const KEY_HASH_CHARS = 8;
const LOG_ID_CHARS = 32;
const VKEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;

export const isVkey = (text: string): boolean => VKEY.test(text);

export const vkeyOf = ({ name, keyHash, publicKey }: Verifier): string =>
  `${name}+${keyHash}+${toBase64(joined(ED25519, publicKey))}`;

export interface Verifiers {
  readonly verifierOf: (name: string, publicKey: Uint8Array) => Verifier;
  /** Whether a log's name fits its public key. Colibri's logs are named after their key, so a name with another key is a forgery. */
  readonly isNamedAfter: (name: string, publicKey: Uint8Array) => boolean;
  /** Parses a log's public key (vkey); undefined if the text is not an Ed25519 vkey or its parts do not belong together. */
  readonly parseVkey: (text: string) => Verifier | undefined;
}

export const verifiers = (hashes: Pick<Hashes, 'bytes'>): Verifiers => {
  const verifierOf: Verifiers['verifierOf'] = (name, publicKey) => ({
    name,
    keyHash: hashes.bytes(joined(toUtf8(`${name}\n`), ED25519, publicKey)).slice(0, KEY_HASH_CHARS),
    publicKey,
  });
  const isNamedAfter: Verifiers['isNamedAfter'] = (name, publicKey) =>
    !name.startsWith(originOf('')) || name === originOf(hashes.bytes(publicKey).slice(0, LOG_ID_CHARS));
  const parseVkey: Verifiers['parseVkey'] = (text) => {
    // A pattern that meets millions of characters may exhaust the stack.
    const isShort = typeof text === 'string' && text.length <= PROOF_LIMITS.vkeyChars;
    const [, name = '', , encoded = ''] = (isShort && VKEY.exec(text)) || [];
    const bytes = fromBase64(encoded);
    if (bytes?.length !== 1 + KEY_BYTES || bytes[0] !== ED25519[0]) return undefined;
    const verifier = verifierOf(name, bytes.slice(1));
    return vkeyOf(verifier) === text && isNamedAfter(name, verifier.publicKey) ? verifier : undefined;
  };
  return { verifierOf, isNamedAfter, parseVkey };
};
