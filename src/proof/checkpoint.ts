// Checkpoints: a log's size and root, signed. The text is a C2SP tlog-checkpoint, the signature a C2SP signed note with
// an Ed25519 key. Pure but for the signing key; parsing is strict: one form for one meaning, nothing left over.
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { fromBase64 } from './base64.js';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly root: string;
}

export interface Verifier {
  readonly name: string;
  /** First four bytes of SHA-256(name ‖ "\n" ‖ 0x01 ‖ public key), hex. */
  readonly keyHash: string;
  /** Raw Ed25519 public key. */
  readonly publicKey: Buffer;
}

export const originOf = (logId: string): string => `colibri.dev/log/${logId}`;

/** C2SP signed-note: the algorithm byte of Ed25519. */
const ED25519 = Buffer.from([1]);
const HASH_BYTES = 32;
const KEY_HASH_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** DER before a raw Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

const keyHashOf = (name: string, publicKey: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey])).slice(0, 2 * KEY_HASH_BYTES);

export const verifierOf = (name: string, publicKey: Buffer): Verifier => ({
  name,
  keyHash: keyHashOf(name, publicKey),
  publicKey,
});

/** C2SP signed-note: `<name>+<key hash>+<base64 of algorithm and key>`. */
export const vkeyOf = ({ name, keyHash, publicKey }: Verifier): string =>
  `${name}+${keyHash}+${Buffer.concat([ED25519, publicKey]).toString('base64')}`;

const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;

/** The whole note: text, blank line, signature line. */
export const signCheckpoint = (checkpoint: Checkpoint, key: KeyObject): string => {
  const text = checkpointText(checkpoint);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-HASH_BYTES);
  const id = Buffer.from(keyHashOf(checkpoint.origin, publicKey), 'hex');
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), key)]).toString('base64');
  return `${text}\n— ${checkpoint.origin} ${signature}\n`;
};

/** A size or an index as C2SP writes it: decimal, no zero before it; what a double cannot count is refused. */
export const fromDecimal = (digits: string): number | undefined =>
  /^(0|[1-9]\d{0,15})$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;

const parseText = (text: string): Checkpoint | undefined => {
  const [origin, sizeLine, rootLine, end, ...rest] = text.split('\n');
  if (origin === undefined || origin === '' || end !== '' || rest.length > 0) return undefined;
  const size = fromDecimal(sizeLine ?? '');
  const root = fromBase64(rootLine ?? '');
  if (size === undefined || root?.length !== HASH_BYTES) return undefined;
  return { origin, size, root: root.toString('hex') };
};

/** C2SP signed-note, "Format": no spaces, plus or controls in a name. U+FFFD is what bytes that are no UTF-8 become. */
const SIGNATURE_LINE = /^— ([^\s+\p{Cc}\ufffd]+) ([A-Za-z0-9+/]+=*)$/u;
/** The specification asks for at least 16 and for a limit; Go's is this. */
const MOST_SIGNATURES = 100;

interface SignatureLine {
  readonly name: string;
  readonly bytes: Buffer;
}

const parseSignatures = (block: string): readonly SignatureLine[] | undefined => {
  if (!block.endsWith('\n')) return undefined;
  const lines = block
    .slice(0, -1)
    .split('\n', MOST_SIGNATURES + 1)
    .map(parseSignature);
  if (lines.length > MOST_SIGNATURES) return undefined;
  return lines.every((line) => line !== undefined) ? lines : undefined;
};

const parseSignature = (line: string): SignatureLine | undefined => {
  const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = encoded === undefined ? undefined : fromBase64(encoded);
  return name === undefined || bytes === undefined || bytes.length <= KEY_HASH_BYTES ? undefined : { name, bytes };
};

/** C2SP signed-note, "Signatures": name and key hash together say whose it is; one of them alone says nothing. */
const isFrom = ({ name, bytes }: SignatureLine, verifier: Verifier): boolean =>
  name === verifier.name && bytes.subarray(0, KEY_HASH_BYTES).toString('hex') === verifier.keyHash;

const isSignedBy = (text: string, { bytes }: SignatureLine, { publicKey }: Verifier): boolean => {
  if (bytes.length !== KEY_HASH_BYTES + SIGNATURE_BYTES) return false;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, bytes.subarray(KEY_HASH_BYTES));
};

export type OpenedCheckpoint =
  | { readonly checkpoint: Checkpoint }
  | { readonly refused: 'malformed' | 'wrong origin' | 'not signed by this key' | 'unknown signature' };

export interface OpenOptions {
  /** Signatures of others, such as witnesses, are no reason to refuse. */
  readonly allowCosignatures?: boolean;
}

/** The checkpoint in a note, if it is well-formed and signed by the key it names. */
export const openCheckpoint = (note: string, verifier: Verifier, options: OpenOptions = {}): OpenedCheckpoint => {
  const at = note.indexOf('\n\n');
  const text = note.slice(0, at + 1);
  const checkpoint = at < 0 ? undefined : parseText(text);
  const signatures = at < 0 ? undefined : parseSignatures(note.slice(at + 2));
  if (checkpoint === undefined || signatures === undefined) return { refused: 'malformed' };
  if (checkpoint.origin !== verifier.name) return { refused: 'wrong origin' };
  const own = signatures.filter((line) => isFrom(line, verifier));
  if (own.length !== 1 || !own.every((line) => isSignedBy(text, line, verifier))) {
    return { refused: 'not signed by this key' };
  }
  if (signatures.length > own.length && options.allowCosignatures !== true) return { refused: 'unknown signature' };
  return { checkpoint };
};
