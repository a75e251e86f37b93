// Erases stored contents and keeps their digests. One record names what was erased and why; every digest, root and proof remains valid. All
// SQL runs in the caller's transaction.

import type { EraseRecord } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { append } from './ledger.js';
import type { OwnLog } from './own-log.js';
import { readBody } from './prove.js';

export type EraseTarget = EraseRecord['targets'][number];

/** Whether a target's contents can be erased: they are `there`, were `erased` already, or `none` were ever stored. */
export type EraseState = 'there' | 'erased' | 'none';

export interface Erasure {
  readonly log: OwnLog;
  readonly at: string;
  readonly reason: string;
  readonly by: string;
}

type Contents = { readonly text: string | null; readonly salt: string | null };

const contentsOf = (tx: ReadTx, thoughtId: string): Promise<Contents | undefined> =>
  tx.get<Contents>('SELECT content AS text, content_salt AS salt FROM thoughts WHERE thought_id = ?', thoughtId);

const definitionAt = (tx: ReadTx, digest: string) =>
  tx.get<{ readonly json: string | null }>('SELECT json FROM definitions WHERE digest = ?', digest);

interface PayloadPlace {
  readonly log: string;
  readonly seq: number;
}

/** Parses the id of stored arguments or texts (a payload): `<log>/<seq>` of their record: a call's intent or outcome, or a health transition. */
const placeOf = (id: string): PayloadPlace => {
  const [log = '', seq = ''] = id.split('/');
  return { log, seq: Number(seq) };
};

const payloadAt = (tx: ReadTx, { log, seq }: PayloadPlace): Promise<Contents | undefined> =>
  tx.get<Contents>('SELECT json AS text, salt FROM payloads WHERE log_id = ? AND seq = ?', log, seq);

const payloadState = async (tx: ReadTx, place: PayloadPlace): Promise<EraseState> => {
  if ((await payloadAt(tx, place)) !== undefined) return 'there';
  const { kind, args, texts } = JSON.parse((await readBody(tx, place)) ?? '{}') as Readonly<Record<string, unknown>>;
  if (kind === 'health' || kind === 'call.exit') return texts === 'stored' ? 'erased' : 'none';
  return kind === 'call.enter' && (args === 'stored' || args === 'digest') ? 'erased' : 'none';
};

export const eraseState = async (tx: ReadTx, { type, id }: EraseTarget): Promise<EraseState> => {
  if (type === 'payload') return payloadState(tx, placeOf(id));
  if (type === 'definition') {
    const row = await definitionAt(tx, id);
    if (row === undefined) return 'none';
    return row.json === null ? 'erased' : 'there';
  }
  const contents = await contentsOf(tx, id);
  if (contents === undefined) return 'none';
  return contents.text === null && contents.salt === null ? 'erased' : 'there';
};

/** How many characters of an erased text are searched for in the database file: so many that they are not found there by chance. */
const TRACE_CHARS = 32;

/**
 * A text whose bytes are adjacent only in the target's row. If the database file still has them after the erasure, a copy was left behind:
 * SQLite moves rows between pages and leaves the old bytes in free space.
 */
export const traceOf = async (tx: ReadTx, { type, id }: EraseTarget): Promise<string> => {
  if (type === 'payload') {
    const { text, salt } = (await payloadAt(tx, placeOf(id))) ?? { text: '', salt: '' };
    return `${salt}${text?.slice(0, TRACE_CHARS) ?? ''}`;
  }
  if (type === 'definition') return `${id}${(await definitionAt(tx, id))?.json?.slice(0, TRACE_CHARS) ?? ''}`;
  const row = await tx.get<{ hash: string; content: string | null }>(
    'SELECT hash, content FROM thoughts WHERE thought_id = ?',
    id,
  );
  return `${row?.hash}${row?.content?.slice(0, TRACE_CHARS) ?? ''}`;
};

/** Returns as many spaces as the text has bytes; null if the text is null. */
const blank = (text: string | null): string | null => text && ' '.repeat(Buffer.byteLength(text));

/**
 * Erases a thought's content: overwrites it with spaces, then sets it to null. A value that becomes shorter leaves its old bytes in the
 * page, but SQLite overwrites a cell of equal size in place, overflow pages too.
 */
const eraseThought = async (tx: Tx, id: string): Promise<void> => {
  const { text, salt } = (await contentsOf(tx, id)) ?? { text: null, salt: null };
  const set = 'UPDATE thoughts SET content = ?, content_salt = ? WHERE thought_id = ?';
  await tx.run(set, blank(text), blank(salt), id);
  await tx.run(set, null, null, id);
};

const erasePayload = async (tx: Tx, id: string): Promise<void> => {
  const { log, seq } = placeOf(id);
  const { text, salt } = (await payloadAt(tx, { log, seq })) ?? { text: null, salt: '' };
  const set = 'UPDATE payloads SET json = ?, salt = ? WHERE log_id = ? AND seq = ?';
  await tx.run(set, blank(text), blank(salt), log, seq);
  await tx.run('DELETE FROM payloads WHERE log_id = ? AND seq = ?', log, seq);
};

const eraseDefinition = async (tx: Tx, id: string): Promise<void> => {
  const set = 'UPDATE definitions SET json = ? WHERE digest = ?';
  await tx.run(set, blank((await definitionAt(tx, id))?.json ?? null), id);
  await tx.run(set, null, id);
};

const ERASE: Readonly<Record<EraseTarget['type'], (tx: Tx, id: string) => Promise<void>>> = {
  thought: eraseThought,
  payload: erasePayload,
  definition: eraseDefinition,
};

/** Erases the contents of the targets and appends an `erase` record to `log`. Every target must exist. Returns the record's seq. */
export const eraseContents = async (
  tx: Tx,
  { log, at, reason, by }: Erasure,
  targets: readonly EraseTarget[],
): Promise<number> => {
  for (const { type, id } of targets) await ERASE[type](tx, id);
  const [appended] = await append(tx, log, [{ at, record: { kind: 'erase', targets, reason, by } }]);
  return appended?.seq ?? 0;
};
