// The hashes of proof/, implemented with node:crypto. Every record is hashed here, so texts are hashed directly, without converting them to
// byte arrays. This file is loaded before the server answers, so it imports nothing else.
import { hash, randomBytes } from 'node:crypto';
import type { Hashes } from '../proof/hashes.js';

/** Memory in which short inputs are put together; every call hashes several, and a new buffer for each would be garbage. */
const scratch = Buffer.alloc(16 * 1024);

const salted = (salt: Uint8Array, text: string): string => {
  // In UTF-8 a character of JavaScript has at most three bytes.
  if (salt.length + 3 * text.length > scratch.length) return hash('sha256', Buffer.concat([salt, Buffer.from(text)]));
  scratch.set(salt);
  return hash('sha256', scratch.subarray(0, salt.length + scratch.write(text, salt.length)));
};

export const hashes: Hashes = {
  leaf: (text) => hash('sha256', `\u0000${text}`),
  node: (left, right) => hash('sha256', scratch.subarray(0, scratch.write(`01${left}${right}`, 'hex'))),
  salted,
  bytes: (bytes) => hash('sha256', bytes),
};

export const { leaf: leafHash, node: nodeHash, salted: saltedDigest } = hashes;

// Salts of 16 random bytes, taken from a pool because asking the system for each salt costs more than hashing a record.

const SALT_BYTES = 16;
const POOL_BYTES = SALT_BYTES * 256;

/** Returns a function that returns a new salt from a pool of random bytes; each byte is used once. */
export const saltSource = (random: (bytes: number) => Buffer): (() => Buffer) => {
  let pool: Buffer = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = random(POOL_BYTES);
    const salt = pool.subarray(0, SALT_BYTES);
    pool = pool.subarray(SALT_BYTES);
    return salt;
  };
};

export const newSalt = saltSource(randomBytes);
