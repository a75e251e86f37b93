// The trees and verifiers of proof/, bound once to the hashes of node:crypto, so that callers have plain functions.
import { growingTree } from '../proof/merkle.js';
import { proofChecks } from '../proof/merkle-proof.js';
import { verifiers } from '../proof/verifier.js';
import { hashes } from './hashes.js';

export const { grow, rootOf } = growingTree(hashes);
export const { includes, isConsistent } = proofChecks(hashes);
export const { verifierOf, isNamedAfter, parseVkey } = verifiers(hashes);
