// The key of a log as a person or a store hands it to a command.
import { isNamedAfter, verifierOf } from '../../ledger/tree.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';

export { parseVkey } from '../../ledger/tree.js';
export { isVkey } from '../../proof/verifier.js';

const KEY_BYTES = 32;

/** The verifier of a log by what a store keeps of it; undefined where the key is not the one the log is named after. */
export const verifierOfRow = (log: string, publicKey: string): Verifier | undefined => {
  const key = Buffer.from(publicKey, 'hex');
  return key.length === KEY_BYTES && isNamedAfter(originOf(log), key) ? verifierOf(originOf(log), key) : undefined;
};
