// Appends records to a log: makes their canonical text, hashes it into the tree, and writes rows, nodes and the new head.
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import { PROOF_LIMITS } from '../proof/limits.js';
import { EVERY_RECORD } from '../proof/record-parts.js';
import { type LedgerRecord, RECORDS, type RecordKind } from '../proof/records.js';
import { memberName } from '../proof/shape.js';
import type { SqlValue, Tx } from '../store/store.js';
import { leafHash } from './hashes.js';
import { readOwnHead } from './head.js';
import type { OwnLog } from './own-log.js';
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
}

/** The members that a record gets when it is appended. A call's sequence number is the `seq` of the record before the call. */
interface Frame {
  readonly at: string;
  readonly log: string;
  readonly seq: number;
  readonly sequence_no: number;
  readonly v: 1;
}

/** A member of a record's JSON: its name, the name as JSON text, and whether its value comes from the record's position in the log. */
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

/** The members of each kind of record in the order of canonical JSON, so that appending need not sort them. */
const ORDER = Object.fromEntries(
  Object.keys(RECORDS).map((kind) => [kind, writtenMembers(kind as RecordKind)]),
) as Readonly<Record<RecordKind, readonly Written[]>>;

/** The canonical JSON of a record: the text that is hashed. Members that the table of kinds of records does not list are left out. */
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

/** The member that only the first record of a log has: the id of the store that the log belongs to. */
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
  const head = await readOwnHead(tx, own);
  let { size, frontier } = head;
  const { adopted } = head;
  /** Members that are added to the first of the appended records if it is the log's very first record, or the log's first record of format 5. */
  const besides = size === 0 ? await originIn(tx) : adopted === undefined ? undefined : { adopted };
  const appended: Appended[] = [];
  const rows: SqlValue[][] = [];
  const nodes: SqlValue[][] = [];
  for (const { at, record } of records) {
    const said = besides !== undefined && size === head.size ? { ...record, ...besides } : record;
    const body = bodyOf({ at, log, seq: size, sequence_no: size, v: 1 }, said);
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
  // The column `opened_at` of a log repeats the time of the log's first record.
  if (head.size === 0) await tx.run('UPDATE logs SET opened_at = ? WHERE log_id = ?', records[0]?.at ?? '', log);
  return appended;
};
