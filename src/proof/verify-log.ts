// The public functions that check notes, proofs and consistency files. They return a verdict for any input; their promises reject only if
// the given crypto throws.
import type { Checkpoint } from './checkpoint.js';
import { type ConsistencyVerdict, consistencyVerdict } from './consistency-check.js';
import { readConsistency } from './consistency-file.js';
import { openNote, type ProofCrypto } from './crypto.js';
import { type Hashes, hashesFrom } from './hashes.js';
import { proofChecks } from './merkle-proof.js';
import type { NoteOptions, OpenedCheckpoint } from './note.js';
import { atItsPlace, type NotHeld, notHeld, type ProofVerdict, proofVerdict } from './proof-check.js';
import { readProof } from './proof-file.js';
import { verifiers } from './verifier.js';

const NO_KEY = notHeld('the key is not an Ed25519 vkey, or its name and key do not belong together');
const MALFORMED = notHeld('malformed');

interface Checker {
  readonly hashes: Hashes;
  readonly open: (note: string) => Promise<OpenedCheckpoint>;
}

/**
 * What is needed to check notes that were signed with the key `vkey`: the hash functions, and a function that opens a note. Undefined if
 * the vkey is invalid.
 */
const checkerFor = (vkey: unknown, crypto: ProofCrypto, options: NoteOptions | undefined): Checker | undefined => {
  const hashes = hashesFrom((bytes) => crypto.sha256(bytes));
  const verifier = typeof vkey === 'string' ? verifiers(hashes).parseVkey(vkey) : undefined;
  if (verifier === undefined) return undefined;
  const allowCosignatures = options?.allowCosignatures === true;
  return { hashes, open: (note) => openNote(note, verifier, crypto, { allowCosignatures }) };
};

export type CheckpointVerdict = { readonly holds: true; readonly checkpoint: Checkpoint } | NotHeld;

/** Whether a note is a checkpoint signed by the key `vkey`. */
export const verifyCheckpoint = async (
  note: string,
  vkey: string,
  crypto: ProofCrypto,
  options?: NoteOptions,
): Promise<CheckpointVerdict> => {
  const checker = checkerFor(vkey, crypto, options);
  if (checker === undefined) return NO_KEY;
  if (typeof note !== 'string') return MALFORMED;
  const opened = await checker.open(note);
  return 'refused' in opened ? notHeld(opened.refused) : { holds: true, ...opened };
};

/** Whether the record in a proof file is in the log of the key `vkey`, at the position that the record names. */
export const verifyProof = async (
  file: string,
  vkey: string,
  crypto: ProofCrypto,
  options?: NoteOptions,
): Promise<ProofVerdict> => {
  const checker = checkerFor(vkey, crypto, options);
  if (checker === undefined) return NO_KEY;
  const proof = typeof file === 'string' ? readProof(file) : undefined;
  if (proof === undefined) return MALFORMED;
  return atItsPlace(proofVerdict(proof, await checker.open(proof.checkpoint), checker.hashes));
};

/** Whether the checkpoint in a consistency file continues `older`, a signed note that the caller has kept. */
export const verifyConsistency = async (
  older: string,
  file: string,
  vkey: string,
  crypto: ProofCrypto,
  options?: NoteOptions,
): Promise<ConsistencyVerdict> => {
  const checker = checkerFor(vkey, crypto, options);
  if (checker === undefined) return NO_KEY;
  const read = typeof file === 'string' ? readConsistency(file) : undefined;
  if (read === undefined || typeof older !== 'string') return MALFORMED;
  const ends = { older: await checker.open(older), newer: await checker.open(read.checkpoint) };
  return consistencyVerdict(read, ends, proofChecks(checker.hashes));
};
