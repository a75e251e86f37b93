// The head of a log: its size and the Merkle tree's right frontier, and whether the log may be continued or signed. A transaction reads it
// under the write lock, or tests under that lock that the head is still the one that this process left (ledger.ts).
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { ColibriError } from '../errors.js';
import type { Frontier } from '../proof/merkle.js';
import type { LedgerRecord } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import type { OwnLog } from './own-log.js';

/** The version of records and tables that this program writes; a store with a newer format is not written to. */
export const FORMAT = 11;

/** The first format in which the heads of logs have a MAC. */
const MAC_FORMAT = 5;

const HASH_CHARS = 64;

export interface Head {
  /** The id of the log's record 0; record n has the id base + n. */
  readonly base: number;
  readonly size: number;
  readonly frontier: Frontier;
  readonly closed: boolean;
  readonly mac: string | null;
}

export const frontierOf = (text: string): Frontier => {
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
  readonly head_mac: string | null;
};

const HEAD = 'SELECT no, size, frontier, format, closed_at, head_mac FROM logs WHERE log_id = ?';

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
    mac: row.head_mac,
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
  throw new ColibriError('STORE_UNAVAILABLE', `log ${log} was closed, and another log continues it.`, {
    remedy: 'Restart this client, so that it writes to the log that continues the closed one.',
  });
};

/** The error for a log that lacks records which it is known to have had, or has other records in their place. */
export const rolledBack = (log: string, size: number, known: { size: number; what: string }): ColibriError =>
  new ColibriError(
    'STORE_ROLLED_BACK',
    `The store is older than it was: log ${log} had ${known.size} ${known.what}, and this store has ${size}${size >= known.size ? ' different ones' : ''}.`,
    {
      remedy:
        'A person must decide: put the newer store back, or accept the loss. colibri restore says what is missing.',
      details: { log, size, known_size: known.size },
    },
  );

const forged = (log: string): ColibriError =>
  new ColibriError('STORE_CORRUPT', `the head of log ${log} was not written with the log's key`, {
    remedy: 'colibri verify says what was added. Restore a backup.',
  });

/** Whether an error says that the log was changed or replaced by an older one: then the log may be neither appended to nor signed. */
export const isBrokenLog = (thrown: unknown): thrown is ColibriError =>
  thrown instanceof ColibriError && (thrown.code === 'STORE_CORRUPT' || thrown.code === 'STORE_ROLLED_BACK');

/** What a `migrate` record says about a log that the store had before the migration. */
interface MigratedLog {
  readonly log: string;
  readonly size: number;
}

/**
 * Whether a head without a MAC is as the migration to format 5 found it: the one record of that migration names the log with this size. Inside
 * the migration (`isMigrating`) there is no such record yet. A store has that migration once; with two, one is not ours.
 */
const isAsMigrated = async (tx: ReadTx, log: string, size: number, isMigrating: boolean): Promise<boolean> => {
  const rows = await tx.all<{ body: string }>("SELECT body FROM actions WHERE kind = 'migrate'");
  const records = rows.map(({ body }) => JSON.parse(body) as { to?: number; logs?: readonly MigratedLog[] });
  const [migration, ...others] = records.filter(({ to }) => to === MAC_FORMAT);
  if (migration === undefined || others.length > 0) return isMigrating && others.length === 0;
  return migration.logs?.some((it) => it.log === log && it.size === size) === true;
};

/**
 * Throws unless the head has a MAC made with the log's key: otherwise somebody without the key wrote records. The head of a log from before
 * format 5 has no MAC; then returns how many of the log's records no signature covers, a number that the log's next record has to name.
 */
const assertAuthentic = async (
  tx: ReadTx,
  own: OwnLog,
  row: HeadRow | undefined,
  isMigrating: boolean,
): Promise<number | undefined> => {
  if (row === undefined || (row.size === 0 && row.head_mac === null)) return undefined;
  if (row.head_mac !== null) {
    if (own.isOurs(row, row.head_mac)) return undefined;
    throw forged(own.id);
  }
  if (!(await isAsMigrated(tx, own.id, row.size, isMigrating))) throw forged(own.id);
  const signed = await tx.get<{ size: number | null }>(
    'SELECT MAX(size) AS size FROM checkpoints WHERE log_id = ?',
    own.id,
  );
  return row.size - (signed?.size ?? 0);
};

/** Throws unless the log's head, which another process may have written, has the MAC of the log's key. */
export const assertAuthenticHead = async (tx: ReadTx, own: OwnLog): Promise<void> => {
  await assertAuthentic(tx, own, await tx.get<HeadRow>(HEAD, own.id), false);
};

/** The head of a log that this process is about to append to. */
interface OwnHead extends Head {
  /** If the next record is the log's first of format 5: how many records before it no signature covers. Otherwise undefined. */
  readonly adopted: number | undefined;
}

/** Whether a record is that of the migration from which on heads have a MAC. */
export const beginsMacs = (record: LedgerRecord): boolean => record.kind === 'migrate' && record.to === MAC_FORMAT;

/**
 * Reads the head of the process's own log, and throws unless the log may be continued: open, not set back, written with its key. `isMigrating`
 * is true for the records of the migration that gives heads their MAC.
 */
export const readOwnHead = async (tx: ReadTx, own: OwnLog, isMigrating: boolean): Promise<OwnHead> => {
  const row = await tx.get<HeadRow>(HEAD, own.id);
  const head = headOf(row, own.id);
  assertOpen(head, own.id);
  if (head.size < own.committed) throw rolledBack(own.id, head.size, { size: own.committed, what: 'records' });
  return { ...head, adopted: await assertAuthentic(tx, own, row, isMigrating) };
};
