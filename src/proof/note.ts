// Writes and parses C2SP signed notes over checkpoints: a text, a blank line, a line for each signature. Parsing returns the signed text
// and its signature; the caller verifies the signature with its own Ed25519 function, synchronously or not.
import { fromBase64, toBase64 } from './base64.js';
import { type Bytes, fromHex, joined, toHex } from './bytes.js';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import type { Verifier } from './verifier.js';

const KEY_HASH_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** Matches a signature line of a note. C2SP signed-note, "Format": a name has no spaces, plus signs or controls. Invalid UTF-8 appears as U+FFFD. */
const SIGNATURE_LINE = /^— ([^\s+\p{Cc}\ufffd]+) ([A-Za-z0-9+/]+=*)$/u;
/** The most signature lines of a note: the specification asks for a limit of at least 16; Go's is 100. */
const MOST_SIGNATURES = 100;

/** The whole text of a note: signed text, blank line, signature line. */
export const writeNote = (
  text: string,
  { name, keyHash }: Pick<Verifier, 'name' | 'keyHash'>,
  signature: Uint8Array,
): string => `${text}\n— ${name} ${toBase64(joined(fromHex(keyHash), signature))}\n`;

interface SignatureLine {
  readonly name: string;
  readonly bytes: Bytes;
}

const parseSignature = (line: string): SignatureLine | undefined => {
  const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = encoded === undefined ? undefined : fromBase64(encoded);
  return name === undefined || bytes === undefined || bytes.length <= KEY_HASH_BYTES ? undefined : { name, bytes };
};

const parseSignatures = (block: string): readonly SignatureLine[] | undefined => {
  if (!block.endsWith('\n')) return undefined;
  const lines = block
    .slice(0, -1)
    .split('\n', MOST_SIGNATURES + 1)
    .map(parseSignature);
  if (lines.length > MOST_SIGNATURES) return undefined;
  return lines.every((line) => line !== undefined) ? lines : undefined;
};

/** Whether the verifier's key made a signature line. C2SP signed-note, "Signatures": name and key hash together identify the signer; neither does alone. */
const isFrom = ({ name, bytes }: SignatureLine, verifier: Verifier): boolean =>
  name === verifier.name && toHex(bytes.subarray(0, KEY_HASH_BYTES)) === verifier.keyHash;

export interface RefusedNote {
  readonly refused: 'malformed' | 'wrong origin' | 'not signed by this key' | 'unknown signature';
}

export type OpenedCheckpoint = { readonly checkpoint: Checkpoint } | RefusedNote;

export interface NoteOptions {
  /** If true, a note is also accepted if others, such as witnesses, have signed it too. */
  readonly allowCosignatures?: boolean;
}

/** A parsed note whose signature is still to be checked. */
export interface ReadNote {
  readonly checkpoint: Checkpoint;
  /** The text that was signed. */
  readonly text: string;
  /** The Ed25519 signature by the verifier's key. */
  readonly signature: Bytes;
  /** True if others have signed the note too. */
  readonly cosigned: boolean;
}

/** Parses a note that the verifier's key should have signed. The signature is not checked yet. */
export const readNote = (note: string, verifier: Verifier): ReadNote | RefusedNote => {
  const at = note.indexOf('\n\n');
  const text = note.slice(0, at + 1);
  const checkpoint = at < 0 ? undefined : readCheckpoint(text);
  const signatures = at < 0 ? undefined : parseSignatures(note.slice(at + 2));
  if (checkpoint === undefined || signatures === undefined) return { refused: 'malformed' };
  if (checkpoint.origin !== verifier.name) return { refused: 'wrong origin' };
  const [own, ...more] = signatures.filter((line) => isFrom(line, verifier));
  if (own === undefined || more.length > 0 || own.bytes.length !== KEY_HASH_BYTES + SIGNATURE_BYTES) {
    return { refused: 'not signed by this key' };
  }
  return { checkpoint, text, signature: own.bytes.slice(KEY_HASH_BYTES), cosigned: signatures.length > 1 };
};

/** The checkpoint of a note, or why it is refused, once the signature was checked (`isSigned`). */
export const openedNote = (note: ReadNote, isSigned: boolean, options: NoteOptions = {}): OpenedCheckpoint => {
  if (!isSigned) return { refused: 'not signed by this key' };
  if (note.cosigned && options.allowCosignatures !== true) return { refused: 'unknown signature' };
  return { checkpoint: note.checkpoint };
};
