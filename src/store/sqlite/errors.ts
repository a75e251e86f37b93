// Maps SQLite's errors to Colibri's; no other file reads SQLITE_* codes. Errors that are not in the table MEANINGS (constraints, bad SQL)
// are mistakes in a query and are passed on unchanged.

import Database from 'better-sqlite3';
import { ColibriError, type ErrorCode, type ErrorExtra } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';

interface Meaning {
  /** A primary error code of SQLite; extended codes (SQLITE_BUSY_RECOVERY) begin with it. */
  readonly engine: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
}

const LOCAL_DISK = 'Check that the disk is mounted and healthy, and that this user may write the file and its folder.';

const MEANINGS: readonly Meaning[] = [
  {
    engine: 'SQLITE_BUSY',
    code: 'STORE_BUSY',
    message: 'another process holds the store',
    remedy: 'Try again in a moment; if the error lasts, end the other process that writes to this database.',
  },
  {
    // SQLITE_PROTOCOL: other processes restarted the write-ahead log too often for one read to begin.
    engine: 'SQLITE_PROTOCOL',
    code: 'STORE_BUSY',
    message: 'other processes keep the store too busy',
    remedy: 'Try again in a moment; if the error lasts, end other processes that use this database.',
  },
  {
    engine: 'SQLITE_FULL',
    code: 'STORE_FULL',
    message: 'the disk is full',
    remedy: 'Free some disk space, then try again.',
  },
  {
    engine: 'SQLITE_CORRUPT',
    code: 'STORE_CORRUPT',
    message: 'the database file is damaged',
    remedy: 'Stop Colibri and put back the newest copy from the .backups folder beside the database.',
  },
  {
    engine: 'SQLITE_NOTADB',
    code: 'STORE_CORRUPT',
    message: 'the file is not a SQLite database',
    remedy: 'Point COLIBRI_DB_PATH at another file, or put back a copy from the .backups folder beside the database.',
  },
  {
    engine: 'SQLITE_READONLY',
    code: 'STORE_UNAVAILABLE',
    message: 'the database file or its folder cannot be written',
    remedy: 'Give this user the right to write the database file and its folder.',
  },
  {
    engine: 'SQLITE_CANTOPEN',
    code: 'STORE_UNAVAILABLE',
    message: 'the database file cannot be opened',
    remedy: 'Check that the path names a file and that this user may read and write it and its folder.',
  },
  {
    engine: 'SQLITE_PERM',
    code: 'STORE_UNAVAILABLE',
    message: 'access to the database file was denied',
    remedy: 'Give this user the right to write the database file and its folder.',
  },
  { engine: 'SQLITE_IOERR', code: 'STORE_UNAVAILABLE', message: 'the disk failed', remedy: LOCAL_DISK },
  {
    engine: 'SQLITE_NOMEM',
    code: 'STORE_UNAVAILABLE',
    message: 'SQLite ran out of memory',
    remedy: 'Free some memory, then try again.',
  },
];

const engineCode = (thrown: unknown): string | undefined =>
  thrown instanceof Database.SqliteError ? thrown.code : undefined;

/**
 * The entry of the table MEANINGS for an error code of SQLite. An extended code continues with an underscore: `SQLITE_FULL` must not match
 * `SQLITE_FULLER`.
 */
const meaningOf = (code: string): Meaning | undefined =>
  MEANINGS.find(({ engine }) => code === engine || code.startsWith(`${engine}_`));

/** The ColibriError for an error of SQLite whose code is in the table MEANINGS; any other thrown value is returned unchanged. */
export const fromSqlite = (thrown: unknown): unknown => {
  const code = engineCode(thrown);
  const meaning = code === undefined ? undefined : meaningOf(code);
  if (meaning === undefined) return thrown;
  const wait = meaning.code === 'STORE_BUSY' ? { retryAfterMs: STORE_LIMITS.busyRetryAfterMs } : {};
  return new ColibriError(meaning.code, `${meaning.message} (${code})`, {
    remedy: meaning.remedy,
    details: { engine: code },
    cause: thrown,
    ...wait,
  });
};

/** Whether the error means that a lock is held, so that the same statement may succeed if it is retried in a moment. */
export const isBusy = (thrown: unknown): boolean => {
  const code = engineCode(thrown);
  return code !== undefined && meaningOf(code)?.code === 'STORE_BUSY';
};

/** Whether the error, mapped by `fromSqlite`, may mean that this user lacks access to the file or its folder, so that only a copy in memory can be read. */
export const isUnreachable = (thrown: unknown): boolean =>
  thrown instanceof ColibriError && /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(engineCode(thrown.cause) ?? '');

/** Maps errors of node:fs that occur before a database connection exists to a ColibriError. */
export const fromFileSystem = (thrown: unknown, path: string): ColibriError => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
  const extra: ErrorExtra = { remedy: LOCAL_DISK, details: { path, system: code }, cause: thrown };
  if (code !== 'ENOSPC' && code !== 'EDQUOT') {
    return new ColibriError('STORE_UNAVAILABLE', `${path} cannot be used (${code})`, extra);
  }
  return new ColibriError('STORE_FULL', `no space for ${path} (${code})`, {
    ...extra,
    remedy: 'Free some disk space, then try again.',
  });
};

export const closedError = (): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', 'the store is closed', { remedy: 'Restart Colibri.' });

export const readOnlyError = (what: string): ColibriError =>
  new ColibriError('STORE_READ_ONLY', `${what}: the store is open for reading only`, {
    remedy: 'Restart Colibri in FULL mode.',
  });

/** Whether an error says that SQLite found the pages of a database damaged. A file that is not a database at all is another case. */
export const saysDamage = (thrown: unknown): boolean =>
  engineCode(thrown instanceof ColibriError ? thrown.cause : thrown)?.startsWith('SQLITE_CORRUPT') === true;
