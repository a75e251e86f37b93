// Appends records to a log. The log's head (its size and the Merkle tree's right frontier) is read inside every write transaction: a cached
// head would save nothing and be wrong after a rollback.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { ColibriError } from '../errors.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { PROOF_LIMITS } from '../proof/limits.js';
import type { Frontier } from '../proof/merkle.js';
import type { CallEnterRecord, CallExitRecord, LedgerRecord } from '../proof/records.js';
import type { SqlValue, Tx } from '../store/store.js';
import { leafHash } from './hashes.js';
import { TILE_LEVEL } from './stored-tree.js';
import { grow } from './tree.js';

/** The version of records and tables that this program writes; a store with a newer format is not written to. */
export const FORMAT = 5;

const HASH_CHARS = 64;

export interface Head {
  /** The id of the log's record 0; record n has the id base + n. */
  readonly base: number;
  readonly size: number;
  readonly frontier: Frontier;
  readonly closed: boolean;
}

export interface Appended {
  readonly seq: number;
  readonly leaf: string;
}

/** A record and the time of its event (ISO 8601, UTC). */
export interface Dated {
  readonly at: string;
  readonly record: LedgerRecord;
}

const frontierOf = (text: string): Frontier => {
  const hashes: string[] = [];
  for (let at = 0; at < text.length; at += HASH_CHARS) hashes.push(text.slice(at, at + HASH_CHARS));
  return hashes;
};

type HeadRow = {
  readonly no: number;
  readonly size: number;
  readonly frontier: string;
  readonly format: number;
  readonly closed_at: string | null;
};

const HEAD = 'SELECT no, size, frontier, format, closed_at FROM logs WHERE log_id = ?';

const noLog = (log: string): ColibriError => new ColibriError('STORE_CORRUPT', `the store has no log ${log}`);

const headOf = (row: HeadRow | undefined, log: string): Head => {
  if (row === undefined) throw noLog(log);
  if (row.format > FORMAT) {
    throw new ColibriError('STORE_UPGRADED', `the store has format ${row.format}, this process knows ${FORMAT}`, {
      remedy: 'Restart this client, so that it starts the newer Colibri.',
    });
  }
  if (row.frontier.length % HASH_CHARS !== 0)
    throw new ColibriError('STORE_CORRUPT', `the head of log ${log} is damaged`);
  return {
    base: row.no * RECORDS_PER_LOG,
    size: row.size,
    frontier: frontierOf(row.frontier),
    closed: row.closed_at !== null,
  };
};

export const readHead = async (tx: Pick<Tx, 'get'>, log: string): Promise<Head> =>
  headOf(await tx.get<HeadRow>(HEAD, log), log);

/** The number of records in a log, which is the seq of the next record. `append` checks whether appending is allowed. */
export const readSize = async (tx: Pick<Tx, 'get'>, log: string): Promise<number> => {
  const row = await tx.get<{ size: number }>('SELECT size FROM logs WHERE log_id = ?', log);
  if (row === undefined) throw noLog(log);
  return row.size;
};

/** Throws if the log is closed: a closed log gets no more records, so that what its successor says about it stays true. */
const assertOpen = ({ closed }: Head, log: string): void => {
  if (!closed) return;
  throw new ColibriError('STORE_UNAVAILABLE', `log ${log} was closed and another one took over.`, {
    remedy: 'Restart this client, so that it joins the log that took over.',
  });
};

/** The position of a record: its log and its seq there. */
interface Place {
  readonly log: string;
  readonly seq: number;
}

/** A record type with every member required, so that none is forgotten. */
type Whole<R> = { readonly [Member in keyof R]-?: R[Member] | undefined };

/**
 * The object that is hashed for a record. The two records of every call list their members in sorted order, which makes sorting cheap; a
 * call's sequence number is the seq of its intent, which is known only here.
 */
const bodyOf = ({ log, seq }: Place, at: string, record: LedgerRecord): object => {
  if (record.kind === 'call.enter') return enterBody(record, { at, log, seq, sequence_no: seq, v: 1 });
  if (record.kind === 'call.exit') return exitBody(record, { at, log, seq, v: 1 });
  return { v: 1, log, seq, at, ...record };
};

interface Frame extends Place {
  readonly at: string;
  readonly v: 1;
}

const enterBody = (
  record: CallEnterRecord,
  frame: Frame & { readonly sequence_no: number },
): Whole<CallEnterRecord & typeof frame> => ({
  args: record.args,
  args_bytes: record.args_bytes,
  args_digest: record.args_digest,
  args_salt: record.args_salt,
  at: frame.at,
  call: record.call,
  check: record.check,
  client: record.client,
  effect: record.effect,
  host: record.host,
  instance: record.instance,
  kind: record.kind,
  late: record.late,
  log: frame.log,
  seq: frame.seq,
  sequence_no: frame.sequence_no,
  tool: record.tool,
  v: frame.v,
});

const exitBody = (record: CallExitRecord, frame: Frame): Whole<CallExitRecord & Frame> => ({
  at: frame.at,
  attempt: record.attempt,
  call: record.call,
  change: record.change,
  code: record.code,
  duration_us: record.duration_us,
  form: record.form,
  kind: record.kind,
  late: record.late,
  log: frame.log,
  outcome: record.outcome,
  replay_of: record.replay_of,
  result_digest: record.result_digest,
  route: record.route,
  seq: frame.seq,
  sequence_no: record.sequence_no,
  subjects: record.subjects,
  tool: record.tool,
  v: frame.v,
});

const numberOf = (record: LedgerRecord, seq: number): number | null => {
  if (record.kind === 'call.enter') return seq;
  return record.kind === 'call.exit' ? record.sequence_no : null;
};

const INSERT_RECORD = `INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_NODE = 'INSERT INTO tiles (log_id, level, idx, hash) VALUES (?, ?, ?, ?)';

/**
 * Appends records in order and returns their positions. The caller's transaction took the write lock before the log's head is read here, so
 * two processes never extend the same head, which would fork the log.
 */
export const append = async (tx: Tx, log: string, records: readonly Dated[]): Promise<Appended[]> => {
  const head = headOf(await tx.get<HeadRow>(HEAD, log), log);
  assertOpen(head, log);
  let { size, frontier } = head;
  const appended: Appended[] = [];
  const rows: SqlValue[][] = [];
  const nodes: SqlValue[][] = [];
  for (const { at, record } of records) {
    const body = canonicalJson(bodyOf({ log, seq: size }, at, record));
    if (Buffer.byteLength(body) > PROOF_LIMITS.recordBytes)
      throw new RangeError(`record of ${record.kind} is too long`);
    const leaf = leafHash(body);
    const tool = 'tool' in record ? record.tool : null;
    rows.push([head.base + size, log, size, numberOf(record, size), record.kind, tool, at, body, leaf]);
    appended.push({ seq: size, leaf });
    const grown = grow(frontier, size, leaf);
    for (const { level, index, hash } of grown.completed)
      if (level >= TILE_LEVEL) nodes.push([log, level, index, hash]);
    frontier = grown.frontier;
    size += 1;
  }
  await tx.runMany(INSERT_RECORD, rows);
  if (nodes.length > 0) await tx.runMany(INSERT_NODE, nodes);
  await tx.run('UPDATE logs SET size = ?, frontier = ? WHERE log_id = ?', size, frontier.join(''), log);
  // A log is as old as its first record: `opened_at` repeats that record's time.
  if (head.size === 0) await tx.run('UPDATE logs SET opened_at = ? WHERE log_id = ?', records[0]?.at ?? '', log);
  return appended;
};
