// Signs and checks notes, proofs and consistency files with Node's Ed25519. Every function here is synchronous, unlike in colibri/proof,
// where the crypto may be asynchronous.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Checkpoint, writeCheckpoint } from '../proof/checkpoint.js';
import { type ConsistencyVerdict, consistencyVerdict } from '../proof/consistency-check.js';
import { readConsistency } from '../proof/consistency-file.js';
import type { SignatureClaim } from '../proof/crypto.js';
import { type NoteOptions, type OpenedCheckpoint, openedNote, readNote, writeNote } from '../proof/note.js';
import { notHeld, type ProofVerdict, proofVerdict } from '../proof/proof-check.js';
import { readProof } from '../proof/proof-file.js';
import type { Verifier } from '../proof/verifier.js';
import { hashes } from './hashes.js';
import { publicKeyOf } from './keys.js';
import { LEDGER_LIMITS } from './limits.js';
import { isConsistent, verifierOf } from './tree.js';

/** The DER bytes before a raw Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs a checkpoint and returns the whole note: text, blank line, signature line. `publicKey`: the public part of the key, if it is known. */
export const signCheckpoint = (checkpoint: Checkpoint, key: KeyObject, publicKey = publicKeyOf(key)): string => {
  const text = writeCheckpoint(checkpoint);
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

/** The same for the checkers of proof/ that get their crypto from outside. */
export const isSignedBy = ({ publicKey, message, signature }: SignatureClaim): boolean =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' }),
    signature,
  );

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

// Remembers the signed notes that were found right last. Checking a signature takes a tenth of a millisecond of the event loop, and every
// signature of a log needs the one before it twice: in the store and in the newest head.

/** A signed note, and the public key (hex) of the log that it is said to be from. */
export interface NoteOfLog {
  readonly note: string;
  readonly publicKey: string;
}

/** Returns the Merkle root in a note; undefined if the note is malformed or not signed with the key. */
export type ReadRoot = (of: NoteOfLog) => string | undefined;

export interface KnownNotes {
  readonly rootIn: ReadRoot;
  /** Remembers a note that was signed with the key, so that it need not be checked. */
  add(of: NoteOfLog, root: string): void;
}

/** Asks `read` for notes that are not known yet, and remembers the right ones among them. */
export const knownNotes = (read: ReadRoot): KnownNotes => {
  const roots = new Map<string, string>();
  const nameOf = ({ note, publicKey }: NoteOfLog): string => `${publicKey}\n${note}`;
  const add: KnownNotes['add'] = (of, root) => {
    const name = nameOf(of);
    roots.delete(name); // so that it becomes the last one
    roots.set(name, root);
    const [oldest] = roots.keys();
    if (roots.size > LEDGER_LIMITS.notesKept && oldest !== undefined) roots.delete(oldest);
  };
  return {
    add,
    rootIn: (of) => {
      const root = roots.get(nameOf(of)) ?? read(of);
      if (root !== undefined) add(of, root);
      return root;
    },
  };
};
