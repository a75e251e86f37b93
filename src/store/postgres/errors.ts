// Maps errors of PostgreSQL and of the connection to Colibri's; no other file reads SQLSTATE codes. Errors that are not in the table
// (constraints, bad SQL) are mistakes in a query and are passed on unchanged. No message holds the address, which may hold a password.

import pg from 'pg';
import { CORE_LIMITS } from '../../core/limits.js';
import { ColibriError, type ErrorCode, systemCode } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import { tlsFault } from './tls-errors.js';

interface ServerMeaning {
  /** A SQLSTATE, or the first characters of a class of them (postgresql.org/docs/current/errcodes-appendix.html). */
  readonly state: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
}

const REACH =
  'Colibri tries again by itself. If it lasts, check that the server runs and that this machine can reach it.';

const ADDRESS = 'the address (COLIBRI_DATABASE_URL, or the file of COLIBRI_DATABASE_URL_FILE)';

/** What helps where a pooler gives each transaction another session. */
export const KEEP_SESSION = 'Set the pooler to session mode, or connect to the server itself.';

/** The state of a refusal for want of a right. */
const RIGHT_LACKS = '42501';

const MEANINGS: readonly ServerMeaning[] = [
  {
    state: '55P03',
    code: 'STORE_BUSY',
    message: 'another transaction holds a lock of the store',
    remedy: 'Try again in a moment; if it lasts, look in pg_stat_activity for a transaction that does not end.',
  },
  {
    state: '57014',
    code: 'STORE_BUSY',
    message: 'the server took too long',
    remedy: 'Try again in a moment; if it lasts, the server is overloaded.',
  },
  {
    state: '40',
    code: 'STORE_BUSY',
    message: 'the write collided with others again and again',
    remedy: 'Try again in a moment.',
  },
  {
    state: '53100',
    code: 'STORE_FULL',
    message: 'the disk of the database server is full',
    remedy: 'Free some space on the server, then try again.',
  },
  {
    state: '53',
    code: 'STORE_UNAVAILABLE',
    message: 'the database server has no connection or memory left',
    remedy: `${REACH} Raise max_connections, or end other programs that use the server.`,
  },
  { state: '57P', code: 'STORE_UNAVAILABLE', message: 'the database server is stopping or starting', remedy: REACH },
  { state: '08', code: 'STORE_UNAVAILABLE', message: 'the connection to the database server is gone', remedy: REACH },
  {
    state: '28000', // no rule of pg_hba.conf fits, or one rejects the connection: also where it has to be encrypted and is not
    code: 'STORE_UNAVAILABLE',
    message: 'the database server refused the login',
    remedy: `Check the user in ${ADDRESS}, and pg_hba.conf on the server. If the server takes encrypted connections only, add sslmode=verify-full&sslrootcert=<file> to the address.`,
  },
  {
    state: '28',
    code: 'STORE_UNAVAILABLE',
    message: 'the database server refused the login',
    remedy: `Check user and password in ${ADDRESS}, and pg_hba.conf on the server. In a password, every character that an address uses itself is escaped (docs/postgres.md, step 2).`,
  },
  {
    state: '26000',
    code: 'STORE_UNAVAILABLE',
    message: 'the session has lost a prepared statement: a pooler in transaction mode is in between',
    remedy: KEEP_SESSION,
  },
  {
    state: '42P05',
    code: 'STORE_UNAVAILABLE',
    message: 'the session has a prepared statement of another client: a pooler in transaction mode is in between',
    remedy: KEEP_SESSION,
  },
  {
    state: '3D000',
    code: 'STORE_UNAVAILABLE',
    message: 'the database server has no database of that name',
    remedy: `Create it (encoding UTF8), or correct ${ADDRESS}.`,
  },
  {
    state: RIGHT_LACKS,
    code: 'STORE_UNAVAILABLE',
    message: 'the database role lacks a right',
    remedy:
      '`colibri doctor` names the role and what it lacks (docs/postgres.md, step 4). A role that may only read serves with COLIBRI_MODE=READONLY.',
  },
  {
    state: '25006',
    code: 'STORE_UNAVAILABLE',
    message: 'the database server takes no writes: it is a standby, or set to read only',
    remedy: `Name the primary server in ${ADDRESS}.`,
  },
  {
    state: 'XX00',
    code: 'STORE_CORRUPT',
    message: 'the database server found its files damaged',
    remedy: 'Stop Colibri, and put back a backup of the server.',
  },
];

/** The SQLSTATE of an error of the server. */
export const stateOf = (thrown: unknown): string | undefined => {
  const cause = thrown instanceof ColibriError ? thrown.cause : thrown;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
};

/** Whether a transaction failed only because of others that ran beside it, so that it may run again: serialization failure, deadlock. */
export const isCollision = (thrown: unknown): boolean => ['40001', '40P01'].includes(stateOf(thrown) ?? '');

const isLostState = (state: string): boolean => state.startsWith('08') || state.startsWith('57P');

/**
 * Whether the connection is gone or must not be used again. An error of the network has a code of the system or none; an error of the server
 * has a SQLSTATE.
 */
export const isConnectionLost = (thrown: unknown): boolean => {
  const state = stateOf(thrown);
  if (state !== undefined) return isLostState(state);
  return thrown instanceof ConnectionLost || (thrown instanceof ColibriError && thrown.cause instanceof ConnectionLost);
};

/** What happened to a connection, without what the driver knows about it. */
export class ConnectionLost extends Error {}

const noConnection = (message: string, why: string, remedy: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', message, {
    remedy,
    retryAfterMs: STORE_LIMITS.serverRetryAfterMs,
    cause: new ConnectionLost(why),
  });

export const unreachable = (why: string): ColibriError =>
  noConnection(`the database server cannot be reached (${why})`, why, REACH);

/** The ColibriError for an error of the server or of the connection; any other thrown value is returned unchanged. */
export const fromPostgres = (thrown: unknown): unknown => {
  const state = stateOf(thrown);
  if (thrown instanceof ColibriError || thrown instanceof TypeError) return thrown;
  if (state === undefined) return thrown;
  const meaning = MEANINGS.find((one) => state.startsWith(one.state));
  if (meaning === undefined) return thrown;
  const waits = { STORE_BUSY: STORE_LIMITS.busyRetryAfterMs, STORE_UNAVAILABLE: STORE_LIMITS.serverRetryAfterMs };
  const retryAfterMs = waits[meaning.code as keyof typeof waits];
  // The server names the table, in its own words.
  const what = state === RIGHT_LACKS && thrown instanceof Error ? `${state}: ${thrown.message}` : state;
  return new ColibriError(meaning.code, `${meaning.message} (${what})`, {
    remedy: meaning.remedy,
    details: { engine: state },
    cause: thrown,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

/** The error of a connection that could not be opened, or that broke while a statement ran. */
export const fromConnection = (thrown: unknown): unknown => {
  if (thrown instanceof ColibriError || stateOf(thrown) !== undefined) return fromPostgres(thrown);
  const why = String(systemCode(thrown) ?? 'the connection ended');
  const tls = tlsFault(why, thrown);
  return tls === undefined ? unreachable(why) : noConnection(`${tls.message} (${why})`, why, tls.remedy);
};

/** Waits for answers of the server; throws their errors as Colibri's. */
export const fromServer = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((thrown: unknown) => {
    throw fromConnection(thrown);
  });

export const closedServer = (): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', 'the store is closed', {
    remedy: 'Try again in a moment: a process that lost its place in the store opens it anew.',
    retryAfterMs: CORE_LIMITS.beginAnewMs,
  });

/** A store that has not the schema that is needed, opened for reading or by a role that may not change the schema. */
export const olderServer = (version: number, newest: number): ColibriError =>
  new ColibriError(
    'STORE_UNAVAILABLE',
    version === 0 ? 'the database holds no store yet' : `the store has schema ${version}, ${newest} is needed`,
    { remedy: 'Start Colibri once in FULL mode, with the address of the owner (docs/postgres.md, steps 3 and 4).' },
  );

export const serverReadOnly = (what: string): ColibriError =>
  new ColibriError('STORE_READ_ONLY', `${what}: the store is open for reading only`, {
    remedy: 'Restart Colibri in FULL mode.',
  });
