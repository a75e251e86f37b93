// Appends records to a log. The log's head (its size and the Merkle tree's right frontier) is read inside every write transaction: a cached
// head would save nothing and be wrong after a rollback.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { ColibriError } from '../errors.js';
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import { PROOF_LIMITS } from '../proof/limits.js';
import type { Frontier } from '../proof/merkle.js';
import { EVERY_RECORD } from '../proof/record-parts.js';
import { type LedgerRecord, RECORDS, type RecordKind } from '../proof/records.js';
import { memberName } from '../proof/shape.js';
import type { ReadTx, SqlValue, Tx } from '../store/store.js';
import { leafHash } from './hashes.js';
import type { OwnLog } from './own-log.js';
import { TILE_LEVEL } from './stored-tree.js';
import { grow } from './tree.js';

/** The version of records and tables that this program writes; a store with a newer format is not written to. */
export const FORMAT = 5;

/** The format from which on heads have a MAC. */
const MAC_FORMAT = 5;

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

/** The error for a log that has fewer records than it is known to have had, or other ones. */
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

/** Whether an error says that the log was changed or set back: then nothing may be appended to it or signed. */
export const isBrokenLog = (thrown: unknown): thrown is ColibriError =>
  thrown instanceof ColibriError && (thrown.code === 'STORE_CORRUPT' || thrown.code === 'STORE_ROLLED_BACK');

/** What a `migrate` record says about a log that was there before. */
interface MigratedLog {
  readonly log: string;
  readonly size: number;
}

/** Whether a head without a MAC is as the migration to format 5 found it; true inside that migration, which has no record yet. */
const isAsMigrated = async (tx: ReadTx, log: string, size: number): Promise<boolean> => {
  const rows = await tx.all<{ body: string }>("SELECT body FROM actions WHERE kind = 'migrate'");
  const records = rows.map(({ body }) => JSON.parse(body) as { to?: number; logs?: readonly MigratedLog[] });
  const migration = records.find(({ to }) => to === MAC_FORMAT);
  return migration === undefined || migration.logs?.some((it) => it.log === log && it.size === size) === true;
};

/**
 * Throws unless the head has the MAC of the log's key: somebody without the key wrote what stands before. A log from before format 5 has no
 * MAC; then returns how many of its records no signature covers, which its next record has to say.
 */
const assertAuthentic = async (tx: ReadTx, own: OwnLog, row: HeadRow | undefined): Promise<number | undefined> => {
  if (row === undefined || (row.size === 0 && row.head_mac === null)) return undefined;
  if (row.head_mac !== null) {
    if (own.isOurs(row, row.head_mac)) return undefined;
    throw forged(own.id);
  }
  if (!(await isAsMigrated(tx, own.id, row.size))) throw forged(own.id);
  const signed = await tx.get<{ size: number | null }>(
    'SELECT MAX(size) AS size FROM checkpoints WHERE log_id = ?',
    own.id,
  );
  return row.size - (signed?.size ?? 0);
};

/** Throws unless the log's head, which another process may have written, has the MAC of the log's key. */
export const assertAuthenticHead = async (tx: ReadTx, own: OwnLog): Promise<void> => {
  await assertAuthentic(tx, own, await tx.get<HeadRow>(HEAD, own.id));
};

/** The members that a record gets from its place: a call's sequence number is the seq of its intent. */
interface Frame {
  readonly at: string;
  readonly log: string;
  readonly seq: number;
  readonly sequence_no: number;
  readonly v: 1;
}

/** A member of a record: its name as canonical JSON writes it, and whether its value is in the record or follows from the place. */
interface Written {
  readonly name: string;
  readonly label: string;
  readonly isPlaced: boolean;
}

const PLACED: ReadonlySet<string> = new Set<keyof Frame>(['at', 'log', 'seq', 'v']);

const writtenMembers = (kind: RecordKind): readonly Written[] =>
  [...Object.keys(EVERY_RECORD), ...Object.keys(RECORDS[kind].members)]
    .map(memberName)
    .sort()
    .map((name) => {
      const isPlaced = PLACED.has(name) || (kind === 'call.enter' && name === 'sequence_no');
      return { name, label: `"${name}":`, isPlaced };
    });

/** The members of every kind in the order of canonical JSON, so that no record has to be sorted. */
const ORDER = Object.fromEntries(
  Object.keys(RECORDS).map((kind) => [kind, writtenMembers(kind as RecordKind)]),
) as Readonly<Record<RecordKind, readonly Written[]>>;

/** The canonical JSON of a record, which is what is hashed. Members that the table of records does not have are not written. */
const bodyOf = (frame: Frame, record: LedgerRecord): string => {
  const members = record as unknown as JsonObject;
  const placed = frame as unknown as JsonObject;
  let text = '';
  for (const { name, label, isPlaced } of ORDER[record.kind]) {
    const value = isPlaced ? placed[name] : members[name];
    if (value !== undefined) text += `${text === '' ? '{' : ','}${label}${canonicalJson(value)}`;
  }
  return `${text}}`;
};

const numberOf = (record: LedgerRecord, seq: number): number | null => {
  if (record.kind === 'call.enter') return seq;
  return record.kind === 'call.exit' ? record.sequence_no : null;
};

/** What the first record of every log says besides: the store that the log belongs to. */
const originIn = async (tx: Tx): Promise<{ readonly store?: string }> => {
  const row = await tx.get<{ store_id: string }>('SELECT store_id FROM identity');
  return row === undefined ? {} : { store: row.store_id };
};

const INSERT_RECORD = `INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_NODE = 'INSERT INTO tiles (log_id, level, idx, hash) VALUES (?, ?, ?, ?)';

/**
 * Appends records in order and returns their positions. The caller's transaction took the write lock before the log's head is read here, so
 * two processes never extend the same head, which would fork the log.
 */
export const append = async (tx: Tx, own: OwnLog, records: readonly Dated[]): Promise<Appended[]> => {
  const log = own.id;
  const row = await tx.get<HeadRow>(HEAD, log);
  const head = headOf(row, log);
  assertOpen(head, log);
  if (head.size < own.committed) throw rolledBack(log, head.size, { size: own.committed, what: 'records' });
  const adopted = await assertAuthentic(tx, own, row);
  let { size, frontier } = head;
  const origin = size === 0 ? await originIn(tx) : undefined;
  const appended: Appended[] = [];
  const rows: SqlValue[][] = [];
  const nodes: SqlValue[][] = [];
  for (const { at, record } of records) {
    const said = {
      ...record,
      ...(size === 0 && origin),
      ...(adopted !== undefined && size === head.size && { adopted }),
    };
    const body = bodyOf({ at, log, seq: size, sequence_no: size, v: 1 }, size === head.size ? said : record);
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
  const text = frontier.join('');
  const mac = own.mac({ size, frontier: text });
  await tx.run('UPDATE logs SET size = ?, frontier = ?, head_mac = ? WHERE log_id = ?', size, text, mac, log);
  // A log is as old as its first record: `opened_at` repeats that record's time.
  if (head.size === 0) await tx.run('UPDATE logs SET opened_at = ? WHERE log_id = ?', records[0]?.at ?? '', log);
  return appended;
};
