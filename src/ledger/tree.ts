// Binds the tree and verifier functions of proof/ to the hashes of node:crypto, so that callers need not pass the hashes.
import { growingTree } from '../proof/merkle.js';
import { proofChecks } from '../proof/merkle-proof.js';
import { verifiers } from '../proof/verifier.js';
import { hashes } from './hashes.js';

export const { grow, rootOf } = growingTree(hashes);
export const { includes, isConsistent } = proofChecks(hashes);
export const { verifierOf, isNamedAfter, parseVkey } = verifiers(hashes);
