// The hashes of proof/ by node:crypto. Every record passes here, so texts go into the hash as they are and not through byte
// arrays of ours. Loaded before the door opens: it imports nothing else.
import { hash } from 'node:crypto';
import type { Hashes } from '../proof/hashes.js';

export const hashes: Hashes = {
  leaf: (text) => hash('sha256', `\u0000${text}`),
  node: (left, right) => hash('sha256', Buffer.from(`01${left}${right}`, 'hex')),
  salted: (salt, text) => hash('sha256', Buffer.concat([salt, Buffer.from(text)])),
  bytes: (bytes) => hash('sha256', bytes),
};

export const { leaf: leafHash, node: nodeHash, salted: saltedDigest } = hashes;
