// Computes what a record says about a call's arguments, and the row of `payloads` that stores them. The record contains only their salted
// digest, so the row can be erased and every proof remains valid.
import { hash } from 'node:crypto';
import { CORE_LIMITS } from '../core/limits.js';
import { canonicalJson, isObject, jsonFault } from '../proof/canonical-json.js';
import type { CallEnterRecord } from '../proof/records.js';
import type { KeptTexts } from '../proof/switchboard-records.js';
import { redact } from '../redact/redact.js';
import type { NowTx, SqlValue, Tx } from '../store/store.js';
import { newSalt, saltedDigest } from './hashes.js';
import { type Appended, append, appendNow, type Dated, type GuardedAppend, guardedAppend } from './ledger.js';
import type { OwnLog } from './own-log.js';

export type PayloadPolicy = 'stored' | 'digest' | 'none';

export interface Payload {
  readonly said: Pick<CallEnterRecord, 'args' | 'args_digest' | 'args_bytes' | 'args_salt'>;
  /** The row of `payloads`. `json` is null if arguments are not stored; the salt lets somebody who has the arguments check their digest. */
  readonly row?: { readonly salt: string; readonly json: string | null };
}

/** Whether a call has no arguments: `undefined` and `{}` both mean that. */
const isEmpty = (args: unknown): boolean => args === undefined || (isObject(args) && Object.keys(args).length === 0);

/** The canonical JSON of the arguments; undefined if they have no such form. Never throws: recording must not fail because of what a client sent. */
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
      // If a call's arguments are not stored, their salt still is. Only this hash of the salt can show that the salt was changed.
      ...(policy === 'digest' && { args_salt: hash('sha256', salt) }),
    },
    row: { salt: salt.toString('hex'), json: policy === 'stored' ? json : null },
  };
};

// Appends records together with rows of `payloads` at the same position.

type KeptRow = NonNullable<Payload['row']>;

/** The `payloads` row for texts that other programs sent, and what the record says about these texts. */
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

const PAYLOAD_COLUMNS = ['log_id', 'seq', 'salt', 'json'];
const INSERT_PAYLOAD = 'INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)';

const payloadRows = (log: OwnLog, entries: readonly KeptEntry[], appended: readonly Appended[]): SqlValue[][] =>
  entries.flatMap(({ kept }, i) => (kept ? [[log.id, appended[i]?.seq ?? null, kept.salt, kept.json]] : []));

const datedOf = ({ dated }: KeptEntry): Dated => dated;

export const appendKept = async (tx: Tx, log: OwnLog, entries: readonly KeptEntry[]): Promise<Appended[]> => {
  const appended = await append(tx, log, entries.map(datedOf));
  await tx.runMany(INSERT_PAYLOAD, payloadRows(log, entries, appended));
  return appended;
};

/** Like `appendKept`, as one statement; undefined if this process does not know the head. */
export const guardedKept = (
  log: OwnLog,
  instance: string,
  entries: readonly KeptEntry[],
): GuardedAppend | undefined => {
  const made = guardedAppend(log, instance, entries.map(datedOf));
  if (made === undefined) return undefined;
  const rows = payloadRows(log, entries, made.appended);
  if (rows.length === 0) return made;
  const payloads = { table: 'payloads', columns: PAYLOAD_COLUMNS, rows };
  return { ...made, insert: { ...made.insert, inserts: [...made.insert.inserts, payloads] } };
};

/** Like `appendKept`, at once; undefined, with nothing changed, if `appendNow` refuses. */
export const appendKeptNow = (tx: NowTx, log: OwnLog, entries: readonly KeptEntry[]): Appended[] | undefined => {
  const appended = appendNow(tx, log, entries.map(datedOf));
  if (appended !== undefined) tx.runMany(INSERT_PAYLOAD, payloadRows(log, entries, appended));
  return appended;
};
