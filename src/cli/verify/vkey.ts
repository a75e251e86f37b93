// The public key of a log, as a person types it (a vkey) or as a store keeps it.
import { isNamedAfter, verifierOf } from '../../ledger/tree.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';

export { parseVkey } from '../../ledger/tree.js';
export { isVkey } from '../../proof/verifier.js';

const KEY_BYTES = 32;

/** A verifier with the public key that the store has for a log; undefined if the log's id is not made from that key. */
export const verifierOfRow = (log: string, publicKey: string): Verifier | undefined => {
  const key = Buffer.from(publicKey, 'hex');
  return key.length === KEY_BYTES && isNamedAfter(originOf(log), key) ? verifierOf(originOf(log), key) : undefined;
};
