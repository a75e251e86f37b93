// Signs and checks notes, proofs and consistency files with Node's Ed25519. Every function here is synchronous, unlike in colibri/proof,
// where the crypto may be asynchronous.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Checkpoint, writeCheckpoint } from '../proof/checkpoint.js';
import { type ConsistencyVerdict, consistencyVerdict } from '../proof/consistency-check.js';
import { readConsistency } from '../proof/consistency-file.js';
import { type NoteOptions, type OpenedCheckpoint, openedNote, readNote, writeNote } from '../proof/note.js';
import { notHeld, type ProofVerdict, proofVerdict } from '../proof/proof-check.js';
import { readProof } from '../proof/proof-file.js';
import type { Verifier } from '../proof/verifier.js';
import { hashes } from './hashes.js';
import { isConsistent, verifierOf } from './tree.js';

const KEY_BYTES = 32;
/** The DER bytes before a raw Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs a checkpoint and returns the whole note: text, blank line, signature line. */
export const signCheckpoint = (checkpoint: Checkpoint, key: KeyObject): string => {
  const text = writeCheckpoint(checkpoint);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return writeNote(text, verifierOf(checkpoint.origin, publicKey), sign(null, Buffer.from(text), key));
};

/** The keys of verifiers in the form that node:crypto takes: making one takes half as long as checking a signature. */
const keyObjects = new WeakMap<Verifier, KeyObject>();

const keyObjectOf = (verifier: Verifier): KeyObject => {
  const spki = { key: Buffer.concat([SPKI_PREFIX, verifier.publicKey]), format: 'der', type: 'spki' } as const;
  const key = keyObjects.get(verifier) ?? createPublicKey(spki);
  keyObjects.set(verifier, key);
  return key;
};

/** Whether the signature of the text was made with the key whose public part is `verifier`. Throws if that public key is invalid. */
const isSigned = (text: string, signature: Uint8Array, verifier: Verifier): boolean =>
  verify(null, Buffer.from(text), keyObjectOf(verifier), signature);

/**
 * Returns the checkpoint that a signed note contains, or why the note is refused: it is malformed, or not signed with the log's key, whose
 * public part is `verifier`.
 */
export const openCheckpoint = (note: string, verifier: Verifier, options: NoteOptions = {}): OpenedCheckpoint => {
  const read = readNote(note, verifier);
  return 'refused' in read ? read : openedNote(read, isSigned(read.text, read.signature, verifier), options);
};

/** Whether the record in a proof file is in the log that the verifier's key signs. */
export const checkProof = (text: string, verifier: Verifier, options: NoteOptions = {}): ProofVerdict => {
  const proof = readProof(text);
  if (proof === undefined) return notHeld('malformed');
  return proofVerdict(proof, openCheckpoint(proof.checkpoint, verifier, options), hashes);
};

export interface ConsistencyCheck extends NoteOptions {
  /** The signed note of an older checkpoint, which whoever checks the file has kept and trusts. */
  readonly older: string;
  readonly verifier: Verifier;
}

/** Whether the checkpoint in a consistency file continues an older checkpoint that the checker has kept. */
export const checkConsistency = (
  text: string,
  { older, verifier, ...options }: ConsistencyCheck,
): ConsistencyVerdict => {
  const file = readConsistency(text);
  if (file === undefined) return notHeld('malformed');
  const opened = (note: string) => openCheckpoint(note, verifier, options);
  return consistencyVerdict(file, { older: opened(older), newer: opened(file.checkpoint) }, { isConsistent });
};
