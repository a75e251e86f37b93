// Signed statements: RFC 8785 JSON of a body, the public key, and the Ed25519 signature over the RFC 8785 text of the body. Whoever has the text checks it
// with nothing else. The same body and key give the same text, so a statement has one name: the SHA-256 of its text.
import { hash } from 'node:crypto';
import { quietly } from '../errors.js';
import { isSignedBy } from '../ledger/notes.js';
import { fromBase64, toBase64 } from '../proof/base64.js';
import { canonicalJson, isObject, type JsonObject, parsedObject } from '../proof/canonical-json.js';
import { CONSENSUS_LIMITS } from './limits.js';

/** A key that statements are signed with: that of a log, or that of an enrolled voter. */
export interface StatementKey {
  /** The public part, 64 hex digits. */
  readonly publicKey: string;
  sign(text: string): Uint8Array;
}

export interface SignedStatement {
  /** The SHA-256 of the text. */
  readonly id: string;
  readonly text: string;
  readonly body: JsonObject;
  readonly key: string;
  readonly sig: string;
}

const idOf = (text: string): string => hash('sha256', text);

export const signStatement = (body: JsonObject, key: StatementKey): SignedStatement => {
  const sig = toBase64(Uint8Array.from(key.sign(canonicalJson(body))));
  const text = canonicalJson({ body, key: key.publicKey, sig });
  return { id: idOf(text), text, body, key: key.publicKey, sig };
};

const KEY = /^[0-9a-f]{64}$/;
const SIGNATURE_BYTES = 64;

const isSigned = (body: JsonObject, key: string, sig: string): boolean => {
  const signature = fromBase64(sig);
  if (signature?.length !== SIGNATURE_BYTES) return false;
  const claim = { publicKey: Uint8Array.from(Buffer.from(key, 'hex')), message: Buffer.from(canonicalJson(body)) };
  return quietly(() => isSignedBy({ ...claim, signature })) === true;
};

/** The statement in a text; undefined if the text is not in its one form, or the signature is not that of the key. */
export const readStatement = (
  text: unknown,
  mostBytes: number = CONSENSUS_LIMITS.statementTextBytes,
): SignedStatement | undefined => {
  if (typeof text !== 'string' || Buffer.byteLength(text) > mostBytes) return undefined;
  const { body, key, sig, ...more } = parsedObject(text) ?? {};
  if (!isObject(body) || typeof key !== 'string' || typeof sig !== 'string') return undefined;
  if (!KEY.test(key) || Object.keys(more).length > 0) return undefined;
  if (quietly(() => canonicalJson({ body, key, sig })) !== text) return undefined;
  return isSigned(body, key, sig) ? { id: idOf(text), text, body, key, sig } : undefined;
};

/** The body of a statement whose text is our own, so that its signature need not be checked again. */
export const bodyIn = (text: string): JsonObject => {
  const { body } = parsedObject(text) ?? {};
  return isObject(body) ? body : {};
};

/** The public key in a statement whose text is our own. */
export const keyIn = (text: string): string => String(parsedObject(text)?.key);
