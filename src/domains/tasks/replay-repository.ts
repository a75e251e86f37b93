// The SQL of idempotency keys of task_update. A row of `replays` is evidence: it says which call had the key, and holds a digest of the request.
import type { EvidenceWork, Writing } from '../../call/define-tool.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import { saltedDigest } from '../../ledger/hashes.js';
import type { ReadTx } from '../../store/store.js';
import { taskId } from './task.js';

export type ReplayRow = {
  readonly task_n: number;
  readonly idempotency_key: string;
  readonly request_digest: string;
  /** The number of the call that had the key first. */
  readonly call_no: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

export const findReplay = (tx: ReadTx, n: number, key: string): Promise<ReplayRow | undefined> =>
  tx.get<ReplayRow>(
    `SELECT task_n, idempotency_key, request_digest, call_no, salt, log_id, seq FROM replays
     WHERE task_n = ? AND idempotency_key = ?`,
    n,
    key,
  );

/**
 * The salt of a request's digest: the salts of the thoughts that its notes became, so that nobody can guess a note from the digest once its
 * thought is erased; the row's own salt if there are no notes. Undefined if one of the thoughts was erased.
 */
const requestSalt = async (tx: ReadTx, { salt, log_id, seq }: Pick<ReplayRow, 'salt' | 'log_id' | 'seq'>) => {
  const rows = await tx.all<{ content_salt: string | null }>(
    'SELECT content_salt FROM thoughts WHERE log_id = ? AND seq = ? ORDER BY place',
    log_id,
    seq,
  );
  const salts = rows.map(({ content_salt }) => content_salt);
  if (salts.includes(null)) return undefined;
  return Buffer.from(salts.length === 0 ? salt : salts.join(''), 'hex');
};

/** Whether a request is the one that had the key first. If a note of it was erased, the key alone decides. */
export const isSameRequest = async (tx: ReadTx, row: ReplayRow, request: string): Promise<boolean> => {
  const salt = await requestSalt(tx, row);
  return salt === undefined || saltedDigest(salt, request) === row.request_digest;
};

/** Keeps the key of a request whose notes are recorded already. */
export const insertReplay = async (
  { tx, evidence, callNo: call_no }: EvidenceWork & Pick<Writing, 'callNo'>,
  n: number,
  idempotency_key: string,
  request: string,
): Promise<void> => {
  const { log, seq } = await evidence.place();
  const salt = rowSalt();
  const request_digest = saltedDigest((await requestSalt(tx, { salt, log_id: log, seq })) ?? Buffer.alloc(0), request);
  await tx.run(
    'INSERT INTO replays (task_n, idempotency_key, request_digest, call_no, salt, log_id, seq) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[n, idempotency_key, request_digest, call_no, salt, log, seq],
  );
  const columns = { idempotency_key, request_digest, call_no };
  evidence.add(subjectOf({ type: 'replay', id: `${taskId(n)}/${idempotency_key}`, rev: 1, salt, columns }));
};
