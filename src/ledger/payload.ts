// What a record says about a call's arguments, and the row that keeps them. The row is outside the hashes, its
// salted digest inside: it can be erased and every proof stands.
import { hash } from 'node:crypto';
import { CORE_LIMITS } from '../core/limits.js';
import { canonicalJson, jsonFault } from '../proof/canonical-json.js';
import { isObject } from '../proof/json-object.js';
import type { CallEnterRecord, KeptTexts } from '../proof/records.js';
import { redact } from '../redact/redact.js';
import type { SqlValue, Tx } from '../store/store.js';
import { newSalt, saltedDigest } from './hashes.js';
import { type Appended, append, type Dated } from './ledger.js';

export type PayloadPolicy = 'stored' | 'digest' | 'none';

export interface Payload {
  readonly said: Pick<CallEnterRecord, 'args' | 'args_digest' | 'args_bytes' | 'args_salt'>;
  /** `json` is null where only the digest is kept; the salt lets whoever has the arguments check it. */
  readonly row?: { readonly salt: string; readonly json: string | null };
}

/** `undefined` and `{}` are the same: a call without arguments. */
const isEmpty = (args: unknown): boolean => args === undefined || (isObject(args) && Object.keys(args).length === 0);

/** Nothing for what has no JSON form: recording never fails because of what was sent. */
const recordable = (args: unknown): string | undefined => {
  if (jsonFault(args, CORE_LIMITS.argumentDepth) !== undefined) return undefined;
  try {
    return canonicalJson(redact(args));
  } catch {
    return undefined;
  }
};

export const payloadOf = (args: unknown, policy: PayloadPolicy): Payload => {
  if (isEmpty(args)) return { said: { args: 'empty' } };
  const json = policy === 'none' ? undefined : recordable(args);
  if (policy === 'none' || json === undefined) return { said: { args: 'none' } };
  const salt = newSalt();
  return {
    said: {
      args: policy,
      args_digest: saltedDigest(salt, json),
      args_bytes: Buffer.byteLength(json),
      // Without the text nothing else would tell a changed salt from the right one.
      ...(policy === 'digest' && { args_salt: hash('sha256', salt) }),
    },
    row: { salt: salt.toString('hex'), json: policy === 'stored' ? json : null },
  };
};

// Records with what is kept beside them: a row in `payloads` at the same place. The row is outside the hashes, its salted digest inside.

type KeptRow = NonNullable<Payload['row']>;

/** What somebody else wrote, for a row beside a record, and what the record says of it. */
export const keptTexts = (texts: unknown): { readonly said: KeptTexts; readonly row: KeptRow } => {
  const json = canonicalJson(texts);
  const salt = newSalt();
  return {
    said: { texts: 'stored', texts_digest: saltedDigest(salt, json), texts_bytes: Buffer.byteLength(json) },
    row: { salt: salt.toString('hex'), json },
  };
};

export interface KeptEntry {
  readonly dated: Dated;
  readonly kept: KeptRow | undefined;
}

export const appendKept = async (tx: Tx, log: string, entries: readonly KeptEntry[]): Promise<Appended[]> => {
  const appended = await append(
    tx,
    log,
    entries.map(({ dated }) => dated),
  );
  const rows: SqlValue[][] = [];
  for (const [i, { kept }] of entries.entries())
    if (kept !== undefined) rows.push([log, appended[i]?.seq ?? null, kept.salt, kept.json]);
  if (rows.length > 0) await tx.runMany('INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)', rows);
  return appended;
};
