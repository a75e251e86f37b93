// Reads signed statements of rounds, votes and checkpoints as docs/audit-format.md describes them, and not with the code that writes them.
import { hash } from 'node:crypto';
import { quietly } from '../../errors.js';
import { isSignedBy } from '../../ledger/notes.js';
import { fromBase64 } from '../../proof/base64.js';
import { canonicalJson, isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';

export interface CheckedStatement {
  readonly id: string;
  readonly body: JsonObject;
  readonly key: string;
}

export const digestOfJson = (value: unknown): string => hash('sha256', canonicalJson(value));

/** The log whose key this is. */
export const logOfKey = (key: string): string => hash('sha256', Buffer.from(key, 'hex')).slice(0, 32);

/** The statement in a column; undefined if it is not in its one form or not signed with its key. */
export const checkedStatement = (text: unknown): CheckedStatement | undefined => {
  const { body, key, sig } = parsedObject(text) ?? {};
  if (typeof text !== 'string' || !isObject(body) || typeof key !== 'string' || typeof sig !== 'string')
    return undefined;
  if (!/^[0-9a-f]{64}$/.test(key) || quietly(() => canonicalJson({ body, key, sig })) !== text) return undefined;
  const signature = fromBase64(sig);
  const claim = { publicKey: Uint8Array.from(Buffer.from(key, 'hex')), message: Buffer.from(canonicalJson(body)) };
  const isRight = signature !== undefined && quietly(() => isSignedBy({ ...claim, signature })) === true;
  return isRight ? { id: hash('sha256', text), body, key } : undefined;
};

/** The names of those claims that do not hold. */
export const failing = (claims: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(claims).filter((name) => claims[name] !== true);
