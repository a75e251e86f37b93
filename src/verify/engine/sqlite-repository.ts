// The statements of a verification that only SQLite knows.
import { SCHEMA_ROWS, type SchemaRow } from '../../store/sqlite/schema.js';
import type { EvidenceTable, StoredRow } from '../evidence/evidence-repository.js';
import type { RecordLines } from '../log/ledger-repository.js';
import type { ActionRow } from '../log/record.js';
import type { StoreReading, StoreSnapshot } from '../reading.js';

export const schemaRows = (tx: StoreReading): SchemaRow[] => tx.all<SchemaRow>(SCHEMA_ROWS);

const pragma = (tx: StoreReading, name: string): unknown => Object.values(tx.get(`PRAGMA ${name}`) ?? {})[0];

export const userVersion = (tx: StoreReading): unknown => pragma(tx, 'user_version');
/** The encoding of all texts in the file; Colibri's files are in UTF-8. */
export const encoding = (tx: StoreReading): unknown => pragma(tx, 'encoding');
export const applicationId = (tx: StoreReading): unknown => pragma(tx, 'application_id');

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

/** A column as it is, but a text for a number that is not stored as an integer: JavaScript would read both alike. */
const whole = (column: string): string => `CASE typeof(${column}) WHEN 'real' THEN 'real' ELSE ${column} END`;

const recordsIn = (tx: StoreSnapshot, from: number, to: number): ActionRow[] =>
  tx.rows(
    `SELECT id, log_id, ${whole('seq')}, ${whole('sequence_no')}, kind, tool, at, body, leaf FROM actions
     WHERE id >= ? AND id < ? ORDER BY id`,
    from,
    to,
  );

/**
 * True for a record of the log at the right place whose columns have their types. SQLite sorts numbers before texts and texts before
 * blobs; `+` keeps it from converting one to the other.
 */
const IS_TYPED = `log_id = ? AND +seq = id - ? AND +sequence_no < '' AND kind < x'' AND +tool >= '' AND tool < x''
  AND at < x'' AND leaf < x'' AND body < x''`;

const recordLines = (
  tx: StoreSnapshot,
  { log, base }: { readonly log: string; readonly base: number },
  [from, to]: readonly [number, number],
): RecordLines => {
  const [[count, text] = []] = tx.rows(
    `SELECT count(*), group_concat(CASE WHEN ${IS_TYPED}
       THEN concat(concat_ws(char(31), seq, sequence_no, kind, at, leaf, tool), char(0), body) ELSE '' END, char(10))
     FROM actions WHERE id >= ? AND id < ?`,
    ...[log, base, from, to],
  );
  return { count: Number(count), text: typeof text === 'string' ? text : '' };
};

const bodyBytes = (tx: StoreReading, id: number): unknown =>
  tx.get<{ bytes: unknown }>('SELECT CAST(body AS BLOB) AS bytes FROM actions WHERE id = ?', id)?.bytes;

const payloadBytes = (tx: StoreReading, log: string, seq: number): unknown =>
  tx.get<{ bytes: unknown }>('SELECT CAST(json AS BLOB) AS bytes FROM payloads WHERE log_id = ? AND seq = ?', log, seq)
    ?.bytes;

const isIndexedAcceptance = (tx: StoreReading, id: number): boolean =>
  tx.get("SELECT 1 FROM actions INDEXED BY actions_accepted WHERE kind = 'accept' AND id = ?", id) !== undefined;

/**
 * Reads a page of rows in the order of rowid. A rowid is an integer whatever the key columns hold, so reading page by page always ends.
 * `countOutside` counts rowids that a JavaScript number cannot hold exactly.
 */
export const pageByRowid = (tx: StoreReading, table: EvidenceTable, after: number, limit: number): StoredRow[] =>
  tx.all<StoredRow>(
    `SELECT rowid AS at_rowid, * FROM ${table} WHERE rowid > ? AND rowid <= 9007199254740991 ORDER BY rowid LIMIT ?`,
    after,
    limit,
  );

export const FIRST_ROWID = -9007199254740991;

const countOutside = (tx: StoreReading, table: EvidenceTable): number =>
  tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM ${table} WHERE rowid > 9007199254740991 OR rowid <= -9007199254740991`,
  )?.count ?? 0;

export const bytesByRowid = (tx: StoreReading, table: EvidenceTable, column: string, rowid: number): unknown =>
  tx.get<{ bytes: unknown }>(`SELECT CAST("${column}" AS BLOB) AS bytes FROM ${table} WHERE rowid = ?`, rowid)?.bytes;

/** The number that AUTOINCREMENT remembers for each table. */
const numbersGiven = (tx: StoreReading): StoredRow[] => tx.all<StoredRow>('SELECT name, seq FROM sqlite_sequence');

const sessionRow = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT rowid AS at_rowid, * FROM sessions WHERE session_id = ?', id);

const thoughtsOf = (
  tx: StoreReading,
  sessionId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): StoredRow[] =>
  tx.all<StoredRow>(
    'SELECT rowid AS at_rowid, * FROM thoughts WHERE session_id = ? ORDER BY place LIMIT ? OFFSET ?',
    sessionId,
    limit,
    offset,
  );

/** The answers to the questions of engine.ts that are one statement. */
export const sqliteQueries = {
  recordsIn,
  recordLines,
  numbersGiven,
  sessionRow,
  thoughtsOf,
  bodyBytes,
  payloadBytes,
  isIndexedAcceptance,
  countOutside,
};
