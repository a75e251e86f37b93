// The SQL for checks of the store as a whole: its logs, and rows that belong to no log.
import { ADOPTED_WITHIN, RECORDS_PER_LOG } from '../core/record-ids.js';
import type { StoredAcceptance } from './accepted.js';
import type { StoreReading, Value } from './reading.js';

export interface StoredLog {
  readonly no: unknown;
  readonly log_id: unknown;
  readonly node: unknown;
  readonly public_key: unknown;
  readonly format: unknown;
  readonly size: unknown;
  readonly frontier: unknown;
  readonly opened_at: unknown;
  readonly closed_at: unknown;
  readonly head_mac: unknown;
}

export const logsOf = (tx: StoreReading): StoredLog[] => tx.all<StoredLog>('SELECT * FROM logs ORDER BY no');

export const storeIds = (tx: StoreReading): unknown[] =>
  tx.all<{ store_id: unknown }>('SELECT store_id FROM identity').map(({ store_id }) => store_id);

/** The records by which logs of another store were accepted: those of a person, and those of a store that was moved, which begin a log. */
export const acceptancesIn = (tx: StoreReading): StoredAcceptance[] => [
  ...tx.all<StoredAcceptance>("SELECT log_id AS log, seq, body FROM actions WHERE kind = 'accept' ORDER BY id"),
  ...tx.all<StoredAcceptance>(
    `SELECT a.log_id AS log, a.seq, a.body FROM logs l JOIN actions a
       ON a.id >= l.no * ${RECORDS_PER_LOG} AND a.id < l.no * ${RECORDS_PER_LOG} + ${ADOPTED_WITHIN}
     WHERE a.kind = 'adopts' ORDER BY a.id`,
  ),
];

/** The highest record id from `base` up to `end` (excluded). */
export const lastRecord = (tx: StoreReading, base: number, end: number): number | null =>
  tx.get<{ id: number | null }>('SELECT MAX(id) AS id FROM actions WHERE id >= ? AND id < ?', base, end)?.id ?? null;

export const countRecords = (tx: StoreReading, from: Value, to: Value): number =>
  tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM actions WHERE id >= ? AND id < ?', from, to)?.n ?? 0;

type LogTable = 'payloads' | 'tiles' | 'checkpoints';

/**
 * The ids of all logs that a table names, found with one index lookup for each log. Ids that are not text sort last; only one of them is
 * returned.
 */
export const logsNamedIn = (tx: StoreReading, table: LogTable): unknown[] => {
  const names: unknown[] = [];
  let next = tx.get<{ id: unknown }>(`SELECT MIN(log_id) AS id FROM ${table}`)?.id ?? null;
  while (next !== null) {
    names.push(next);
    if (typeof next !== 'string') break;
    next = tx.get<{ id: unknown }>(`SELECT MIN(log_id) AS id FROM ${table} WHERE log_id > ?`, next)?.id ?? null;
  }
  return names;
};

/** Counts the payload rows of a log whose seq is negative, not below `size`, or no number (SQLite sorts texts and blobs last). */
export const countPayloadsOutside = (tx: StoreReading, log: string, size: number): number =>
  tx.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM payloads WHERE log_id = ? AND seq IN (SELECT seq FROM payloads WHERE log_id = ? AND seq >= ? UNION SELECT seq FROM payloads WHERE log_id = ? AND seq < 0)',
    log,
    log,
    size,
    log,
  )?.n ?? 0;

export const countCheckpointsOutside = (tx: StoreReading, log: string, size: number): number =>
  tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM checkpoints WHERE log_id = ? AND (size > ? OR size < 1)', log, size)
    ?.n ?? 0;

/** Counts the rows of `beside` that name a log which the store does not have. */
export const countStrayBesides = (tx: StoreReading): number =>
  tx.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM beside WHERE no NOT IN (SELECT no FROM logs) OR other NOT IN (SELECT no FROM logs)',
  )?.n ?? 0;

/** How many Merkle tree nodes of each level are stored for a log. */
export const tileCounts = (tx: StoreReading, log: string): { level: unknown; n: number }[] =>
  tx.all<{ level: unknown; n: number }>(
    'SELECT level, COUNT(*) AS n FROM tiles WHERE log_id = ? GROUP BY level ORDER BY level',
    log,
  );
