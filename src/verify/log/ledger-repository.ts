// The SQL for the checks of logs. Every query looks up a key or reads one range in order.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading, StoreSnapshot } from '../reading.js';
import type { ActionRow } from './record.js';

/** Stands between the columns of a record in a text of `recordLines`. */
export const COLUMN_END = '\u001f';
/** Stands before the body in a text of `recordLines`: RFC 6962 §2.1 hashes this byte before a leaf. */
export const LEAF_MARK = '\u0000';

/**
 * How many records of a range of ids there are, and a text with one line for each: its columns seq, sequence_no, kind, at, leaf, tool and
 * body, or nothing if one of them is null or has a wrong type. One text is read faster than rows, as long as it is not longer than about
 * 128 KB.
 */
export interface RecordLines {
  readonly count: number;
  readonly text: string;
}

/** The row of one record, found by its log and its number there. */
export const actionAt = (tx: StoreSnapshot, log: string, seq: number): ActionRow | undefined =>
  tx.rows(
    `SELECT a.id, a.log_id, a.seq, a.sequence_no, a.kind, a.tool, a.at, a.body, a.leaf
     FROM logs l JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + ? WHERE l.log_id = ?`,
    seq,
    log,
  )[0];

/** The leaves of the records with ids `from … to` (`to` excluded). */
export const leavesIn = (tx: StoreSnapshot, from: number, to: number): unknown[] =>
  tx.rows('SELECT leaf FROM actions WHERE id >= ? AND id < ? ORDER BY id', from, to).map(([leaf]) => leaf);

/** The number of a log in the store, and its size. */
export const logPlace = (tx: StoreReading, log: string): { no: number; size: number } | undefined =>
  tx.get<{ no: number; size: number }>('SELECT no, size FROM logs WHERE log_id = ?', log);

/** The rows of the table `beside` for one log: the other logs, each with its size when this log named it last. */
export const besidesOf = (tx: StoreReading, log: string): { log_id: string; size: unknown }[] =>
  tx.all<{ log_id: string; size: unknown }>(
    `SELECT l.log_id, b.size FROM logs o JOIN beside b ON b.no = o.no JOIN logs l ON l.no = b.other
     WHERE o.log_id = ?`,
    log,
  );

export const bodyAt = (tx: StoreReading, id: number): unknown =>
  tx.get<{ body: unknown }>('SELECT body FROM actions WHERE id = ?', id)?.body;

/** Whether the record after a call's intent is the call's outcome. `base`: the id of the log's record 0. */
export const isEndedNext = (tx: StoreReading, base: number, sequenceNo: number): boolean =>
  tx.get(
    `SELECT 1 FROM actions WHERE id = ? AND sequence_no = ? AND kind = 'call.exit'`,
    base + sequenceNo + 1,
    sequenceNo,
  ) !== undefined;

/** The id of a call's outcome that does not follow its intent, found by the index that has only such outcomes. */
export const indexedOutcome = (tx: StoreReading, log: string, sequenceNo: number): number | undefined =>
  tx.get<{ id: number }>(
    `SELECT id FROM actions WHERE log_id = ? AND sequence_no = ? AND kind = 'call.exit' AND seq <> sequence_no + 1`,
    log,
    sequenceNo,
  )?.id;

/** The payload rows (seq, salt, json) of a range of records, in the order of seq. */
export const payloadsIn = (tx: StoreSnapshot, log: string, from: number, to: number): unknown[][] =>
  tx.rows('SELECT seq, salt, json FROM payloads WHERE log_id = ? AND seq >= ? AND seq < ? ORDER BY seq', log, from, to);

/** The records with ids `from … to` (`to` excluded) that may have a payload and have none. */
export const recordsWithoutPayload = (
  tx: StoreReading,
  log: string,
  from: number,
  to: number,
): { seq: number; body: unknown }[] =>
  tx.all<{ seq: number; body: unknown }>(
    `SELECT a.seq, a.body FROM actions a WHERE a.id >= ? AND a.id < ? AND (a.kind IN ('call.enter', 'health')
       OR a.kind = 'call.exit' AND ${tx.engine.contains('a.body', '"texts":"stored"')})
     AND NOT EXISTS (SELECT 1 FROM payloads p WHERE p.log_id = ? AND p.seq = a.seq) ORDER BY a.id`,
    from,
    to,
    log,
  );

/**
 * How many records with ids `from … to` (both included) say that a payload is stored beside them. The members that say so are searched for
 * in the record's JSON text: a quotation mark inside a string is escaped, so no string can look like such a member.
 */
export const countKeeping = (tx: StoreReading, from: number, to: number): number =>
  tx.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM actions WHERE id >= ? AND id <= ? AND (
       kind = 'call.enter' AND (${tx.engine.contains('body', '"args":"stored"')} OR ${tx.engine.contains('body', '"args":"digest"')})
       OR kind IN ('call.exit', 'health') AND ${tx.engine.contains('body', '"texts":"stored"')})`,
    from,
    to,
  )?.n ?? 0;

/** The checkpoints (no, size, note) of a log with sizes greater than `above`, up to `upTo` (included). */
export const checkpointsIn = (tx: StoreSnapshot, log: string, above: number, upTo: number): unknown[][] =>
  tx.rows(
    'SELECT no, size, note FROM checkpoints WHERE log_id = ? AND size > ? AND size <= ? ORDER BY size, no',
    log,
    above,
    upTo,
  );

/** The stored Merkle tree nodes `from … to` (`to` excluded) of one level, by index. */
export const tilesIn = (
  tx: StoreSnapshot,
  log: string,
  level: number,
  [from, to]: readonly [number, number],
): unknown[][] =>
  tx.rows(
    'SELECT idx, hash FROM tiles WHERE log_id = ? AND level = ? AND idx >= ? AND idx < ? ORDER BY idx',
    log,
    level,
    from,
    to,
  );

export const tileAt = (tx: StoreReading, log: string, level: number, idx: number): unknown =>
  tx.get<{ hash: unknown }>('SELECT hash FROM tiles WHERE log_id = ? AND level = ? AND idx = ?', log, level, idx)?.hash;

/** The bodies of the `erase` and `prune` records with ids `from … to` (`to` excluded). */
export const explanationsIn = (tx: StoreReading, from: number, to: number): unknown[] =>
  tx
    .all<{ body: unknown }>(
      `SELECT body FROM actions WHERE id >= ? AND id < ? AND kind IN ('erase', 'prune') ORDER BY id LIMIT ?`,
      from,
      to,
      VERIFY_LIMITS.verifyAbsences,
    )
    .map(({ body }) => body);

export const isTask = (tx: StoreReading, n: number): boolean =>
  tx.get('SELECT 1 FROM tasks WHERE n = ?', n) !== undefined;

/** The instances (Colibri processes) that have a row for a log: living ones, and dead ones with calls that nobody has closed yet. */
export const writersIn = (tx: StoreReading, log: string): unknown[] =>
  tx.all<{ instance: unknown }>('SELECT instance FROM instances WHERE log_id = ?', log).map(({ instance }) => instance);

/** How many events of reputation the table has for the records from one id to another (excluded). */
export const countScored = (tx: StoreReading, from: number, to: number): number =>
  tx.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM reputation_events WHERE record >= ? AND record < ?',
    from,
    to,
  )?.count ?? 0;
