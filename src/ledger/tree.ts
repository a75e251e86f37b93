// The hashes, trees and verifiers of proof/, bound to node:crypto once. Every record passes here, so texts go into the
// hash as they are and not through byte arrays of ours.
import { hash } from 'node:crypto';
import type { Hashes } from '../proof/hashes.js';
import { growingTree } from '../proof/merkle.js';
import { proofChecks } from '../proof/merkle-proof.js';
import { verifiers } from '../proof/verifier.js';

export const hashes: Hashes = {
  leaf: (text) => hash('sha256', `\u0000${text}`),
  node: (left, right) => hash('sha256', Buffer.from(`01${left}${right}`, 'hex')),
  salted: (salt, text) => hash('sha256', Buffer.concat([salt, Buffer.from(text)])),
  bytes: (bytes) => hash('sha256', bytes),
};

export const { leaf: leafHash, node: nodeHash, salted: saltedDigest } = hashes;
export const { grow, rootOf } = growingTree(hashes);
export const { includes, isConsistent } = proofChecks(hashes);
export const { verifierOf, isNamedAfter, parseVkey } = verifiers(hashes);
