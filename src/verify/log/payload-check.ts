// Checks the payload that is stored beside a record (arguments of a `call.enter`, texts of a `call.exit` or a `health`) against what the record says.
import { hash } from 'node:crypto';
import { isDeeperThan, type JsonObject } from '../../proof/canonical-json.js';
import { VERIFY_LIMITS } from '../limits.js';
import { isCanonical, isFlatCanonical } from './canonical.js';

/** The columns seq, salt and json of a payload row. */
export type PayloadRow = readonly unknown[];

/** What a record says about its payload row. */
interface Said {
  readonly kept: unknown;
  readonly digest: unknown;
  readonly bytes: unknown;
}

const saidBy = (body: JsonObject): Said =>
  body.kind === 'call.enter'
    ? { kept: body.args, digest: body.args_digest, bytes: body.args_bytes }
    : { kept: body.texts, digest: body.texts_digest, bytes: body.texts_bytes };

/** The kinds of records that may have a payload row. */
const KEEPING: ReadonlySet<unknown> = new Set(['call.enter', 'call.exit', 'health']);

export const mayKeep = (body: JsonObject): boolean => KEEPING.has(body.kind);

export const wantsPayload = (body: JsonObject): boolean => {
  const { kept } = saidBy(body);
  return kept === 'stored' || kept === 'digest';
};

/** Whether a text is canonical JSON. */
const isCanonicalText = (json: string): boolean => {
  if (isFlatCanonical(json)) return true;
  try {
    const value: unknown = JSON.parse(json);
    return !isDeeperThan(value, VERIFY_LIMITS.bodyDepth) && isCanonical(json, value);
  } catch {
    return false;
  }
};

const SALT = /^[0-9a-f]{32}$/;
const SALT_BYTES = 16;

/** Compares SHA-256(salt ‖ json) with the recorded digest, and checks that the text is canonical JSON. */
const textFault = (body: JsonObject, salt: string, json: string): string | undefined => {
  const length = Buffer.byteLength(json);
  if (length !== saidBy(body).bytes) return 'The arguments have another length than recorded.';
  const bytes = Buffer.allocUnsafe(SALT_BYTES + length);
  bytes.write(salt, 0, 'hex');
  bytes.write(json, SALT_BYTES);
  if (hash('sha256', bytes) !== saidBy(body).digest) return 'The arguments are not those that were digested.';
  return isCanonicalText(json) ? undefined : 'The arguments are not canonical JSON.';
};

/** Says if a record's members about its arguments contradict each other; undefined if they agree. */
export const argsFault = (body: JsonObject): string | undefined => {
  const { digest, bytes, kept } = saidBy(body);
  if ((kept === 'digest') !== (body.args_salt !== undefined))
    return 'The record has the digest of a salt exactly if only a digest of the arguments is kept.';
  const has = typeof digest === 'string' && typeof bytes === 'number';
  const hasNot = digest === undefined && bytes === undefined;
  if (wantsPayload(body)) return has ? undefined : 'The record says that arguments are kept and has no digest of them.';
  return hasNot ? undefined : 'The record has a digest of arguments and says that none are kept.';
};

const saltFault = (body: JsonObject, salt: string, json: unknown): string | undefined => {
  if (json !== null) return 'Arguments are stored, but the record says that only their digest is kept.';
  const isRecorded = hash('sha256', Buffer.from(salt, 'hex')) === body.args_salt;
  return isRecorded ? undefined : 'The salt is not the one that was recorded.';
};

export const payloadFault = (body: JsonObject, [, salt, json]: PayloadRow): string | undefined => {
  if (typeof salt !== 'string' || !SALT.test(salt)) return 'The salt is not 16 bytes in hex.';
  if (saidBy(body).kept === 'digest') return saltFault(body, salt, json);
  return typeof json === 'string' ? textFault(body, salt, json) : 'The arguments are not text.';
};
