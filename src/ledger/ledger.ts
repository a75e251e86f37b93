// Appends records to a log: makes their canonical text, hashes it into the tree, and writes rows, nodes and the new head.
import { CORE_LIMITS } from '../core/limits.js';
import { ColibriError } from '../errors.js';
import { PROOF_LIMITS } from '../proof/limits.js';
import type { Frontier } from '../proof/merkle.js';
import type { LedgerRecord } from '../proof/records.js';
import type { GuardedInsert, NowTx, SqlValue, Tx } from '../store/store.js';
import { type EnterHalves, enterAt, enterText, exitText } from './call-text.js';
import { leafHash } from './hashes.js';
import { beginsMacs, FORMAT, readOwnHead } from './head.js';
import {
  isApart,
  isScored,
  noOutcomeAt,
  outcomePlaceOf,
  ReputationRows,
  refuseSecondOutcomes,
  refuseSecondOutcomesNow,
} from './outcomes.js';
import type { LeftHead, OwnLog } from './own-log.js';
import { type Frame, recordText } from './record-text.js';
import { TILE_LEVEL } from './stored-tree.js';
import { grow } from './tree.js';

export interface Appended {
  readonly seq: number;
  readonly leaf: string;
}

/** A record and the time of its event (ISO 8601, UTC). */
export interface Dated {
  readonly at: string;
  readonly record: LedgerRecord;
  /** Only for the outcome of a call: the `seq` of the call's intent; 'before' if the intent is the record directly before it. */
  readonly sequenceNo?: number | 'before';
  /** Only for the intent of a call: its text, if that was made already. */
  readonly halves?: EnterHalves | undefined;
}

/** The canonical JSON of a record, which is what is hashed. */
const bodyOf = (frame: Frame, record: LedgerRecord): string => {
  if (record.kind === 'call.enter') return enterText(frame, record);
  return record.kind === 'call.exit' ? exitText(frame, record) : recordText(frame, record);
};

/** The member that only the first record of a log has: the id of the store that the log belongs to. */
const originIn = async (tx: Tx): Promise<{ readonly store?: string }> => {
  const row = await tx.get<{ store_id: string }>('SELECT store_id FROM identity');
  return row === undefined ? {} : { store: row.store_id };
};

const INSERT_RECORD = `INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_NODE = 'INSERT INTO tiles (log_id, level, idx, hash) VALUES (?, ?, ?, ?)';

const SET_HEAD = 'UPDATE logs SET size = ?, frontier = ?, head_mac = ? WHERE log_id = ?';
/** Like SET_HEAD, but changes no row if the head is not the one that this process wrote last. */
const SET_LEFT_HEAD = `${SET_HEAD} AND size = ? AND frontier = ? AND head_mac = ? AND closed_at IS NULL AND format <= ${FORMAT}`;

/** Finds the last of the appended records: it is there only if the transaction was committed. */
const WITNESS = 'SELECT 1 AS found FROM actions WHERE id = ? AND leaf = ?';

const witnessOf = ({ rows, appended }: Growth): [SqlValue, SqlValue] => [
  rows.at(-1)?.[0] ?? null,
  appended.at(-1)?.leaf ?? null,
];

/** The rows to be inserted for new records, and the head that the log then has. */
interface Growth {
  readonly rows: readonly SqlValue[][];
  readonly nodes: readonly SqlValue[][];
  readonly appended: Appended[];
  readonly reputation: ReputationRows;
  readonly head: LeftHead;
}

interface Behind {
  readonly base: number;
  readonly size: number;
  readonly frontier: Frontier;
}

/** Computes the rows and the new head for records that are appended after `behind`. `besides`: members that are added to the first record. */
const growthOf = (own: OwnLog, behind: Behind, records: readonly Dated[], besides?: object): Growth => {
  const log = own.id;
  let { size, frontier } = behind;
  const appended: Appended[] = [];
  const rows: SqlValue[][] = [];
  const nodes: SqlValue[][] = [];
  const reputation = new ReputationRows();
  for (const { at, record, sequenceNo: given = size, halves } of records) {
    const sequenceNo = given === 'before' ? size - 1 : given;
    const isFirst = besides !== undefined && size === behind.size;
    const body =
      halves !== undefined && !isFirst
        ? enterAt(halves, size)
        : bodyOf({ at, log, seq: size, sequence_no: sequenceNo, v: 1 }, isFirst ? { ...record, ...besides } : record);
    if (Buffer.byteLength(body) > PROOF_LIMITS.recordBytes)
      throw new RangeError(`record of ${record.kind} is too long`);
    const leaf = leafHash(body);
    const isCall = record.kind === 'call.enter' || record.kind === 'call.exit';
    const [no, tool] = [isCall ? sequenceNo : null, 'tool' in record ? record.tool : null];
    rows.push([behind.base + size, log, size, no, record.kind, tool, at, body, leaf]);
    reputation.add(behind.base + size, at, record);
    appended.push({ seq: size, leaf });
    const grown = grow(frontier, size, leaf);
    for (const { level, index, hash } of grown.completed)
      if (level >= TILE_LEVEL) nodes.push([log, level, index, hash]);
    frontier = grown.frontier;
    size += 1;
  }
  const text = frontier.join('');
  return {
    rows,
    nodes,
    appended,
    reputation,
    head: { base: behind.base, size, frontier: text, hashes: frontier, mac: own.mac({ size, frontier: text }) },
  };
};

/**
 * Appends records after the head that this process wrote last, without reading the head: the update changes no row if the head is another one.
 * Then returns undefined, with nothing changed: another process has appended, or this process's last transaction was rolled back.
 */
export const appendNow = (tx: NowTx, own: OwnLog, records: readonly Dated[]): Appended[] | undefined => {
  const { left } = own;
  if (left === undefined) return undefined;
  const { rows, nodes, appended, reputation, head } = growthOf(
    own,
    { base: left.base, size: left.size, frontier: left.hashes },
    records,
  );
  const { size, frontier, mac } = head;
  const changed = tx.run(SET_LEFT_HEAD, size, frontier, mac, own.id, left.size, left.frontier, left.mac);
  own.left = changed === 1 ? head : undefined;
  if (changed !== 1) return undefined;
  refuseSecondOutcomesNow(tx, rows);
  tx.runMany(INSERT_RECORD, rows);
  if (nodes.length > 0) tx.runMany(INSERT_NODE, nodes);
  reputation.writeNow(tx);
  return appended;
};

const RECORD_COLUMNS = ['id', 'log_id', 'seq', 'sequence_no', 'kind', 'tool', 'at', 'body', 'leaf'];
const NODE_COLUMNS = ['log_id', 'level', 'idx', 'hash'];

/** An append in one statement: what is sent, and what it appends and leaves if the head was as this process left it. */
export interface GuardedAppend {
  readonly insert: GuardedInsert;
  readonly appended: Appended[];
  readonly head: LeftHead;
}

/**
 * Like `appendNow`, for a database behind a connection: one statement that tests the head and inserts the rows. `instance` must still be in the table of
 * instances. Undefined if this process does not know the head, or if a record says something about reputation: sums of days are updated, not inserted.
 */
export const guardedAppend = (own: OwnLog, instance: string, records: readonly Dated[]): GuardedAppend | undefined => {
  const { left } = own;
  if (left === undefined || records.some(({ record }) => isScored(record))) return undefined;
  const growth = growthOf(own, { base: left.base, size: left.size, frontier: left.hashes }, records);
  const { rows, nodes, appended, head } = growth;
  const places = rows.filter(isApart).map((row) => outcomePlaceOf(row)[0]);
  const isFirstOutcome = places.length === 0 ? '' : ` AND ${noOutcomeAt(places.length)}`;
  return {
    insert: {
      guard: {
        sql: `${SET_LEFT_HEAD} AND EXISTS (SELECT 1 FROM instances WHERE instance = ?)${isFirstOutcome}`,
        params: [head.size, head.frontier, head.mac, own.id, left.size, left.frontier, left.mac, instance, ...places],
      },
      inserts: [
        { table: 'actions', columns: RECORD_COLUMNS, rows },
        ...(nodes.length === 0 ? [] : [{ table: 'tiles', columns: NODE_COLUMNS, rows: nodes }]),
      ],
      witness: { sql: WITNESS, params: witnessOf(growth) },
      log: own.id,
    },
    appended,
    head,
  };
};

/**
 * Throws if this process was taken for dead: where others can take the log's lock while this process lives, because its connection was cut, they have
 * closed its calls and deleted its row under the log's lock.
 */
const assertAlive = async (tx: Tx, own: OwnLog): Promise<void> => {
  if (tx.lock === undefined || own.instance === undefined) return;
  if ((await tx.get('SELECT 1 AS found FROM instances WHERE instance = ?', own.instance)) !== undefined) return;
  own.isGone = true;
  own.onGone?.();
  throw new ColibriError('STORE_UNAVAILABLE', 'the connection of this process was cut, and others took it for dead', {
    remedy: 'It begins anew by itself. Try again in a moment.',
    retryAfterMs: CORE_LIMITS.beginAnewMs,
  });
};

/**
 * Appends records in order and returns their positions. The caller's transaction took the write lock before the log's head is read or tested
 * here, so two processes never extend the same head, which would fork the log.
 */
export const append = async (tx: Tx, own: OwnLog, records: readonly Dated[]): Promise<Appended[]> => {
  const done = tx.now && appendNow(tx.now, own, records);
  if (done !== undefined) return done;
  const isMigrating = records.some(({ record }) => beginsMacs(record));
  // The head first: on a server that went back, the row of this process may be missing too.
  const head = await readOwnHead(tx, own, isMigrating);
  await assertAlive(tx, own);
  const { adopted } = head;
  /** Members that are added to the first of the appended records if it is the log's very first record, or the log's first record of format 5. */
  const besides = head.size === 0 ? await originIn(tx) : adopted === undefined ? undefined : { adopted };
  const isAlone = head.mac !== null && own.wroteLast(head.mac);
  const growth = growthOf(own, head, records, besides);
  const { size, frontier, mac } = growth.head;
  tx.witness?.(WITNESS, ...witnessOf(growth));
  await refuseSecondOutcomes(tx, growth.rows);
  await tx.runMany(INSERT_RECORD, growth.rows);
  if (growth.nodes.length > 0) await tx.runMany(INSERT_NODE, growth.nodes);
  await growth.reputation.write(tx);
  await tx.run(SET_HEAD, size, frontier, mac, own.id);
  // The column `opened_at` of a log repeats the time of the log's first record.
  if (head.size === 0) await tx.run('UPDATE logs SET opened_at = ? WHERE log_id = ?', records[0]?.at ?? '', own.id);
  if (isAlone) own.left = growth.head;
  return growth.appended;
};
