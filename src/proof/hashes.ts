// The SHA-256 hashes that everything here is made of, all written as 64 lower-case hex digits. Who has a faster way than
// bytes in and bytes out brings a `Hashes` of its own, as ledger/hashes.ts does with node:crypto.
import { type Bytes, fromHex, joined, toHex, toUtf8 } from './bytes.js';

export interface Hashes {
  /** RFC 6962 §2.1: 0x00 before a leaf keeps it from passing as an inner node. */
  leaf(text: string): string;
  /** RFC 6962 §2.1: 0x01 before two children keeps an inner node from passing as a leaf. */
  node(left: string, right: string): string;
  /** SHA-256(salt ‖ text), the salt as raw bytes. */
  salted(salt: Uint8Array, text: string): string;
  bytes(bytes: Uint8Array): string;
}

/** 32 bytes, and at once: a promise will not do. */
export type Sha256 = (bytes: Bytes) => Uint8Array;

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** A `sha256` that is none must not look like a proof that does not hold. */
const checked = (digest: Uint8Array): Uint8Array => {
  const isHash = typeof digest === 'object' && digest !== null && digest.length === HASH_BYTES;
  if (!isHash) throw new TypeError('sha256 must return the 32 bytes of the hash, and not a promise');
  return digest;
};

export const hashesFrom = (sha256: Sha256): Hashes => {
  const hash = (...parts: readonly Uint8Array[]): string => toHex(checked(sha256(joined(...parts))));
  return {
    leaf: (text) => hash(LEAF, toUtf8(text)),
    node: (left, right) => hash(NODE, fromHex(left), fromHex(right)),
    salted: (salt, text) => hash(salt, toUtf8(text)),
    bytes: (bytes) => hash(bytes),
  };
};
