// Checks the signatures and sizes of signed notes: the rows of the table `checkpoints` and the heads outside the store. log-walk.ts
// compares the roots in the notes with the Merkle tree.
import { hash } from 'node:crypto';
import { openCheckpoint } from '../../ledger/notes.js';
import { verifierOf } from '../../ledger/tree.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';
import { addFinding, type Found } from '../verdict/finding-list.js';

/** What a signed note says about a log: the log's size and Merkle root. */
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

/** Checks a note's signature; returns what the note says, or why it is refused. A head may also carry signatures of witnesses. */
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
    return { refused: 'not signed by this key' }; // the public key in the log's row is invalid
  }
};

/** What tells that a note in the store is a head that was checked: the head's size and root, and the SHA-256 of its note. */
export interface CheckedHead extends Claim {
  readonly digest?: string | undefined;
}

/** The SHA-256 of a note with one signature; undefined if it has more. */
export const plainDigest = (note: string): string | undefined =>
  note.split('\n\u2014 ').length === 2 ? hash('sha256', note) : undefined;

/** Checks the rows `no`, `size`, `note` of one log's checkpoints, which must be in the order of size. Most are also heads. */
export const checkCheckpoints = (
  rows: readonly (readonly unknown[])[],
  { log, publicKey, heads }: { log: string; publicKey: string; heads: readonly CheckedHead[] },
  found: Found,
): Checkpointed[] => {
  const verifier = verifierOfLog(log, publicKey);
  const known = new Map(heads.map((head) => [head.size, head]));
  const good: Checkpointed[] = [];
  for (const [no, size, note] of rows) {
    const where = { log, table: 'checkpoints', id: String(no) };
    if (typeof no !== 'number' || typeof size !== 'number' || typeof note !== 'string') {
      addFinding(found, 'checkpoint', where, 'The row holds values that Colibri never stores.');
      continue;
    }
    const head = known.get(size);
    const isHead = head?.digest !== undefined && head.digest === plainDigest(note);
    const opened = isHead ? { claim: head } : claimIn(note, verifier, false);
    if ('refused' in opened) addFinding(found, 'checkpoint', where, `The signed note is ${opened.refused}.`);
    else if (opened.claim.size !== size)
      addFinding(found, 'checkpoint', where, 'The signed note names another size than the row.');
    else good.push({ no, size, root: opened.claim.root });
  }
  return good;
};
