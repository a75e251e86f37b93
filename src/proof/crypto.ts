// The types of the crypto functions that the checker of a proof passes in. No implementation is imported here: Node, browsers and others
// have their own.
import type { Bytes } from './bytes.js';
import { toUtf8 } from './bytes.js';
import type { Sha256 } from './hashes.js';
import { type NoteOptions, type OpenedCheckpoint, openedNote, readNote } from './note.js';
import type { Verifier } from './verifier.js';

export interface SignatureClaim {
  /** The raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Bytes;
  readonly message: Bytes;
  /** The Ed25519 signature, 64 bytes. */
  readonly signature: Bytes;
}

export interface ProofCrypto {
  /** SHA-256 of the bytes, synchronously: a tree has too many hashes to await each. */
  readonly sha256: Sha256;
  /** Whether an Ed25519 signature is valid (RFC 8032). May return a promise, as WebCrypto does. */
  readonly verifyEd25519: (claim: SignatureClaim) => boolean | Promise<boolean>;
}

/** The checkpoint in a note if the note is well-formed and signed by the verifier's key. */
export const openNote = async (
  note: string,
  verifier: Verifier,
  { verifyEd25519 }: Pick<ProofCrypto, 'verifyEd25519'>,
  options: NoteOptions,
): Promise<OpenedCheckpoint> => {
  const read = readNote(note, verifier);
  if ('refused' in read) return read;
  const { text, signature } = read;
  const publicKey = new Uint8Array(verifier.publicKey);
  // Only `true` counts: an object or a string that the caller's `verifyEd25519` returned by mistake must not pass as a valid signature.
  const isSigned = (await verifyEd25519({ publicKey, message: toUtf8(text), signature })) === true;
  return openedNote(read, isSigned, options);
};
