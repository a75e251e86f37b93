// Records with what is kept beside them: a row in `payloads` at the same place. The row is outside the hashes, its salted digest inside.
import { canonicalJson } from '../proof/canonical-json.js';
import type { KeptTexts } from '../proof/records.js';
import type { SqlValue, Tx } from '../store/store.js';
import { saltedDigest } from './hashes.js';
import { type Appended, append, type Dated } from './ledger.js';
import type { Payload } from './payload.js';
import { newSalt } from './salt.js';

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
