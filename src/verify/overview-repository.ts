// The SQL for checks of the store as a whole: its schema, its logs, and rows that belong to no log.
import { SCHEMA_ROWS, type SchemaRow } from '../store/sqlite/schema.js';
import type { StoredAcceptance } from './accepted.js';
import type { StoreReading } from './reading.js';

export const schemaRows = (tx: StoreReading): SchemaRow[] => tx.all<SchemaRow>(SCHEMA_ROWS);

const pragma = (tx: StoreReading, name: string): unknown => Object.values(tx.get(`PRAGMA ${name}`) ?? {})[0];

export const userVersion = (tx: StoreReading): unknown => pragma(tx, 'user_version');
/** The encoding of all texts in the file; Colibri's files are in UTF-8. */
export const encoding = (tx: StoreReading): unknown => pragma(tx, 'encoding');
export const applicationId = (tx: StoreReading): unknown => pragma(tx, 'application_id');

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

/** The formats that logs name. */
export const formatsOf = (tx: StoreReading): number[] => logsOf(tx).map(({ format }) => Number(format));

/** Whether the tables of the ledger have the columns that are read of them, in a store of a newer format. */
export const areReadable = (tx: StoreReading): boolean => {
  try {
    tx.get(`SELECT l.no, l.log_id, l.node, l.public_key, l.size, l.frontier, l.opened_at, l.closed_at, l.head_mac, a.id,
      a.log_id, a.seq, a.sequence_no, a.kind, a.tool, a.at, a.body, a.leaf, c.log_id, c.no, c.size, c.note, t.log_id,
      t.level, t.idx, t.hash FROM logs l, actions a, checkpoints c, tiles t WHERE FALSE`);
    return true;
  } catch {
    return false;
  }
};

export const storeIds = (tx: StoreReading): unknown[] =>
  tx.all<{ store_id: unknown }>('SELECT store_id FROM identity').map(({ store_id }) => store_id);

export const acceptancesIn = (tx: StoreReading): StoredAcceptance[] =>
  tx.all<StoredAcceptance>("SELECT log_id AS log, seq, body FROM actions WHERE kind = 'accept' ORDER BY id");

/** The highest record id from `base` up to `end` (excluded). */
export const lastRecord = (tx: StoreReading, base: number, end: number): number | null =>
  tx.get<{ id: number | null }>('SELECT MAX(id) AS id FROM actions WHERE id >= ? AND id < ?', base, end)?.id ?? null;

export const countRecords = (tx: StoreReading, from: number, to: number): number =>
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

/** What SQLite finds wrong in its file, or in one table with its indexes. */
export const integrityFaults = (tx: StoreReading, what: number | string): string[] =>
  tx
    .all(`PRAGMA integrity_check(${typeof what === 'number' ? what : `"${what.replaceAll('"', '""')}"`})`)
    .map((row) => String(Object.values(row)[0]))
    .filter((text) => text !== 'ok');

/** The tables of the file, with that of the schema: its check covers the list of free pages too. */
export const tablesOf = (tx: StoreReading): string[] => [
  'sqlite_schema',
  ...tx.all<{ name: unknown }>("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => String(name)),
];

/** Reads the indexes of the table of records from end to end; throws if SQLite cannot. */
export const readRecordIndexes = (tx: StoreReading): void => {
  tx.get("SELECT COUNT(*) FROM actions INDEXED BY actions_accepted WHERE kind = 'accept'");
  tx.get("SELECT COUNT(*) FROM actions INDEXED BY actions_outcome WHERE kind = 'call.exit' AND seq <> sequence_no + 1");
};

/** How many rows the table of records has, counted page by page. */
export const countRecordRows = (tx: StoreReading): number =>
  tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM actions NOT INDEXED')?.n ?? 0;

/** How many records the logs say that they have. */
export const recordsSaid = (tx: StoreReading): number =>
  tx.get<{ n: number }>('SELECT total(size) AS n FROM logs')?.n ?? 0;

/** The tables whose foreign keys are checked. The table of records is left out, because each record is compared with its log anyway. */
const NAMING = ['task_dependencies', 'leases', 'thoughts'];

export const foreignKeyFaults = (tx: StoreReading): { table: unknown; rowid: unknown; parent: unknown }[] =>
  NAMING.flatMap((table) =>
    tx.all<{ table: unknown; rowid: unknown; parent: unknown }>(`PRAGMA foreign_key_check(${table})`),
  );
