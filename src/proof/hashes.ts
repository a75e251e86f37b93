// The SHA-256 hashes of leaves, Merkle tree nodes and salted texts, written as 64 lower-case hex digits. A platform that can hash texts
// faster than through byte arrays can implement `Hashes` itself, as ledger/hashes.ts does with node:crypto.
import { type Bytes, fromHex, joined, toHex, toUtf8 } from './bytes.js';

export interface Hashes {
  /** The hash of a leaf. RFC 6962 §2.1: 0x00 before a leaf keeps it from passing as an inner node. */
  leaf(text: string): string;
  /** The hash of an inner node. RFC 6962 §2.1: 0x01 before two children keeps an inner node from passing as a leaf. */
  node(left: string, right: string): string;
  /** SHA-256(salt ‖ text), the salt as raw bytes. */
  salted(salt: Uint8Array, text: string): string;
  bytes(bytes: Uint8Array): string;
}

/** A SHA-256 function that returns 32 bytes synchronously, not a promise. */
export type Sha256 = (bytes: Bytes) => Uint8Array;

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Returns the digest; throws if a `sha256` function returned anything but 32 bytes, since that must not look like an invalid proof. */
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
