// What a program under Node hands to colibri/proof, as docs/proofs.md shows it.
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { ProofCrypto } from '../../src/proof/index.js';

/** DER before a raw Ed25519 public key (RFC 8410 §4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

export const nodeCrypto: ProofCrypto = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  verifyEd25519: ({ publicKey, message, signature }) => {
    const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  },
};
