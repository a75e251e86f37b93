// Appends records to a log: makes their canonical text, hashes it into the tree, and writes rows, nodes and the new head.
import { PROOF_LIMITS } from '../proof/limits.js';
import type { Frontier } from '../proof/merkle.js';
import type { LedgerRecord } from '../proof/records.js';
import type { NowTx, SqlValue, Tx } from '../store/store.js';
import { type EnterHalves, enterAt, enterText, exitText } from './call-text.js';
import { leafHash } from './hashes.js';
import { beginsMacs, FORMAT, readOwnHead } from './head.js';
import { refuseSecondOutcomes, refuseSecondOutcomesNow } from './outcomes.js';
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

/** The rows to be inserted for new records, and the head that the log then has. */
interface Growth {
  readonly rows: readonly SqlValue[][];
  readonly nodes: readonly SqlValue[][];
  readonly appended: Appended[];
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
    const [no, tool] = isCall ? [sequenceNo, record.tool] : [null, null];
    rows.push([behind.base + size, log, size, no, record.kind, tool, at, body, leaf]);
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
  const { rows, nodes, appended, head } = growthOf(
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
  return appended;
};

/**
 * Appends records in order and returns their positions. The caller's transaction took the write lock before the log's head is read or tested
 * here, so two processes never extend the same head, which would fork the log.
 */
export const append = async (tx: Tx, own: OwnLog, records: readonly Dated[]): Promise<Appended[]> => {
  const done = tx.now && appendNow(tx.now, own, records);
  if (done !== undefined) return done;
  const isMigrating = records.some(({ record }) => beginsMacs(record));
  const head = await readOwnHead(tx, own, isMigrating);
  const { adopted } = head;
  /** Members that are added to the first of the appended records if it is the log's very first record, or the log's first record of format 5. */
  const besides = head.size === 0 ? await originIn(tx) : adopted === undefined ? undefined : { adopted };
  const isAlone = head.mac !== null && own.wroteLast(head.mac);
  const growth = growthOf(own, head, records, besides);
  const { size, frontier, mac } = growth.head;
  await refuseSecondOutcomes(tx, growth.rows);
  await tx.runMany(INSERT_RECORD, growth.rows);
  if (growth.nodes.length > 0) await tx.runMany(INSERT_NODE, growth.nodes);
  await tx.run(SET_HEAD, size, frontier, mac, own.id);
  // The column `opened_at` of a log repeats the time of the log's first record.
  if (head.size === 0) await tx.run('UPDATE logs SET opened_at = ? WHERE log_id = ?', records[0]?.at ?? '', own.id);
  if (isAlone) own.left = growth.head;
  return growth.appended;
};
