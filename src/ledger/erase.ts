// Erasing: contents go, what was hashed stays. One record names what was taken out and why; every digest, root and
// proof stands. Pure SQL on the caller's transaction.

import type { EraseRecord } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { append } from './ledger.js';
import { readBody } from './prove.js';

export type EraseTarget = EraseRecord['targets'][number];

/** `none`: nothing of that name, or nothing that was ever kept. */
export type EraseState = 'there' | 'erased' | 'none';

export interface Erasure {
  readonly log: string;
  readonly at: string;
  readonly reason: string;
  readonly by: string;
}

type Contents = { readonly text: string | null; readonly salt: string | null };

const contentsOf = (tx: ReadTx, thoughtId: string): Promise<Contents | undefined> =>
  tx.get<Contents>('SELECT content AS text, content_salt AS salt FROM thoughts WHERE thought_id = ?', thoughtId);

interface PayloadPlace {
  readonly log: string;
  readonly seq: number;
}

/** The id of a payload is `<log>/<seq>` of its record: an intent, or a transition of a server's health. */
const placeOf = (id: string): PayloadPlace => {
  const [log = '', seq = ''] = id.split('/');
  return { log, seq: Number(seq) };
};

const payloadAt = (tx: ReadTx, { log, seq }: PayloadPlace): Promise<Contents | undefined> =>
  tx.get<Contents>('SELECT json AS text, salt FROM payloads WHERE log_id = ? AND seq = ?', log, seq);

const payloadState = async (tx: ReadTx, place: PayloadPlace): Promise<EraseState> => {
  if ((await payloadAt(tx, place)) !== undefined) return 'there';
  const { kind, args, texts } = JSON.parse((await readBody(tx, place)) ?? '{}') as Readonly<Record<string, unknown>>;
  if (kind === 'health') return texts === 'stored' ? 'erased' : 'none';
  return kind === 'call.enter' && (args === 'stored' || args === 'digest') ? 'erased' : 'none';
};

export const eraseState = async (tx: ReadTx, { type, id }: EraseTarget): Promise<EraseState> => {
  if (type === 'payload') return payloadState(tx, placeOf(id));
  const contents = await contentsOf(tx, id);
  if (contents === undefined) return 'none';
  return contents.text === null && contents.salt === null ? 'erased' : 'there';
};

/** Enough to tell a copy of a row from chance. */
const TRACE_CHARS = 32;

/**
 * What stands side by side in the row of a target and nowhere else: where these bytes are found in a file after the
 * erasing, a copy is left. SQLite moves rows between pages and leaves the old bytes in what is free.
 */
export const traceOf = async (tx: ReadTx, { type, id }: EraseTarget): Promise<string> => {
  if (type === 'payload') {
    const { text, salt } = (await payloadAt(tx, placeOf(id))) ?? { text: '', salt: '' };
    return `${salt}${text?.slice(0, TRACE_CHARS) ?? ''}`;
  }
  const row = await tx.get<{ hash: string; content: string | null }>(
    'SELECT hash, content FROM thoughts WHERE thought_id = ?',
    id,
  );
  return `${row?.hash}${row?.content?.slice(0, TRACE_CHARS) ?? ''}`;
};

/** As many bytes of nothing. */
const blank = (text: string | null): string | null => text && ' '.repeat(Buffer.byteLength(text));

/**
 * A value that shrinks leaves its old bytes in the page. One of the same length is written over them (SQLite overwrites
 * a cell of equal size in place, overflow pages too), so blanks first, then nothing.
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

/** Takes the contents out and says so in `log`. Every target must be there. Returns the place of the record. */
export const eraseContents = async (
  tx: Tx,
  { log, at, reason, by }: Erasure,
  targets: readonly EraseTarget[],
): Promise<number> => {
  for (const { type, id } of targets) await (type === 'thought' ? eraseThought(tx, id) : erasePayload(tx, id));
  const [appended] = await append(tx, log, [{ at, record: { kind: 'erase', targets, reason, by } }]);
  return appended?.seq ?? 0;
};
