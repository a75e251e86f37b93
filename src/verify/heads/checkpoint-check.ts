// Signed notes: the rows of `checkpoints`, the heads outside. Whether the root in them is the log's is asked where the
// tree is.
import { openCheckpoint } from '../../ledger/notes.js';
import { verifierOf } from '../../ledger/tree.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';
import { addFinding, type Found } from '../verdict/finding-list.js';

/** What a signed note says of a log. */
export interface Claim {
  readonly size: number;
  readonly root: string;
}

export interface Checkpointed extends Claim {
  readonly no: number;
}

const PUBLIC_KEY = /^[0-9a-f]{64}$/;

export const verifierOfLog = (log: string, publicKey: string): Verifier =>
  verifierOf(originOf(log), Buffer.from(PUBLIC_KEY.test(publicKey) ? publicKey : '', 'hex'));

/** The claim in a note, or why there is none. A head may carry the signatures of witnesses too. */
export const claimIn = (
  note: string,
  verifier: Verifier,
  allowCosignatures: boolean,
): { readonly claim: Claim } | { readonly refused: string } => {
  try {
    const opened = openCheckpoint(note, verifier, { allowCosignatures });
    if ('refused' in opened) return opened;
    return { claim: { size: opened.checkpoint.size, root: opened.checkpoint.root } };
  } catch {
    return { refused: 'not signed by this key' }; // the log's key is no key
  }
};

/** Rows of one log in the order of their size: `no`, `size`, `note`. */
export const checkCheckpoints = (
  rows: readonly (readonly unknown[])[],
  log: string,
  verifier: Verifier,
  found: Found,
): Checkpointed[] => {
  const good: Checkpointed[] = [];
  for (const [no, size, note] of rows) {
    const where = { log, table: 'checkpoints', id: String(no) };
    if (typeof no !== 'number' || typeof size !== 'number' || typeof note !== 'string') {
      addFinding(found, 'checkpoint', where, 'The row holds values that are never stored.');
      continue;
    }
    const opened = claimIn(note, verifier, false);
    if ('refused' in opened) addFinding(found, 'checkpoint', where, `The note is ${opened.refused}.`);
    else if (opened.claim.size !== size) addFinding(found, 'checkpoint', where, 'The note is of another size.');
    else good.push({ no, size, root: opened.claim.root });
  }
  return good;
};
