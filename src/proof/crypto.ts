// What whoever checks a proof brings along. Nothing here imports an implementation: Node, browsers and others have their own.
import type { Bytes } from './bytes.js';
import { toUtf8 } from './bytes.js';
import type { Sha256 } from './hashes.js';
import { type NoteOptions, type OpenedCheckpoint, openedNote, readNote } from './note.js';
import type { Verifier } from './verifier.js';

export interface SignatureClaim {
  /** Raw, 32 bytes. */
  readonly publicKey: Bytes;
  readonly message: Bytes;
  /** 64 bytes. */
  readonly signature: Bytes;
}

export interface ProofCrypto {
  /** SHA-256 of the bytes, at once: a tree is too many hashes to wait for each. */
  readonly sha256: Sha256;
  /** Whether an Ed25519 signature is good (RFC 8032). May be a promise, as WebCrypto gives one. */
  readonly verifyEd25519: (claim: SignatureClaim) => boolean | Promise<boolean>;
}

/** The checkpoint in a note, if it is well-formed and signed by the key it names. */
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
  // Exactly true: an object or a text that was returned by mistake must not pass.
  const isSigned = (await verifyEd25519({ publicKey, message: toUtf8(text), signature })) === true;
  return openedNote(read, isSigned, options);
};
