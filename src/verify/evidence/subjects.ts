// Checks the rows that a record names: no row may be missing, and no row may have an older revision than the record says. A row's
// contents are compared with its digest elsewhere, when the row itself is checked against the record it points to.
import type { StoreReading } from '../reading.js';
import type { Finding, Where } from '../verdict/finding.js';
import { checkApproved } from './approvals.js';
import { erasedBy } from './erasures.js';
import {
  definitionRow,
  firstPayload,
  isPayload,
  type StoredStanding,
  standingOf,
  thoughtRow,
} from './evidence-repository.js';
import { type ReadRecord, sayPointer, shown, subjectsOf } from './pointer.js';
import { prunedBy } from './prune-record.js';
import { exactNumber } from './transitions.js';

type RowType =
  | 'task'
  | 'lease'
  | 'session'
  | 'thought'
  | 'catalogue'
  | 'adoption'
  | 'replay'
  | 'definition'
  | 'approval'
  | 'round'
  | 'vote'
  | 'voter'
  | 'heard';

const TABLES: Readonly<Record<RowType, string>> = {
  task: 'tasks',
  lease: 'leases',
  session: 'sessions',
  thought: 'thoughts',
  catalogue: 'catalogue',
  adoption: 'adoptions',
  replay: 'replays',
  definition: 'definitions',
  approval: 'approvals',
  round: 'rounds',
  vote: 'votes',
  voter: 'voters',
  heard: 'heard',
};

/** The table of a type of row; the type itself if Colibri does not know it. */
export const tableOf = (type: unknown): string => (isRowType(type) ? TABLES[type] : shown(type));

const isRowType = (type: unknown): type is RowType => typeof type === 'string' && Object.hasOwn(TABLES, type);

/** The primary key of a row, from the id by which records name the row; undefined if no row can have that id. */
const keyOf = (type: RowType, id: string): readonly (string | number)[] | undefined => {
  if (type !== 'task' && type !== 'lease' && type !== 'replay') return [id];
  // A replay is named by its task and its key: `T-0042/key`.
  const end = type === 'replay' ? id.indexOf('/') : id.length;
  const n = end < 0 ? undefined : exactNumber(id.slice(0, end));
  if (n === undefined) return undefined;
  return type === 'replay' ? [n, id.slice(end + 1)] : [n];
};

/**
 * Returns what is wrong with a row that a record changed, or undefined. The row must still be as the record left it, or point to a later
 * record.
 */
const standingFault = (row: StoredStanding, { rev, digest }: Readonly<Record<string, unknown>>, record: ReadRecord) => {
  const isHere = row.log_id === record.log && row.seq === record.seq;
  if (typeof row.rev !== 'number' || typeof rev !== 'number' || row.rev < rev)
    return `is revision ${shown(row.rev)}; this record made ${shown(rev)}`;
  if (row.rev === rev && !isHere) return 'points to another record for the same revision';
  if (row.rev === rev && row.digest !== undefined && row.digest !== digest) return 'is not what this record says';
  const isLater = row.log_id !== record.log || Number(row.seq) > record.seq;
  if (row.rev > rev && !isLater) return 'is a later revision with an earlier record';
  return undefined;
};

const checkSubject = (tx: StoreReading, record: ReadRecord, subject: Readonly<Record<string, unknown>>): Finding[] => {
  const { type, id } = subject;
  // A row of a type that this version of Colibri does not know is not checked.
  if (!isRowType(type)) return [];
  const where: Where = { log: record.log, seq: record.seq, table: TABLES[type], id: shown(id) };
  const key = typeof id === 'string' ? keyOf(type, id) : undefined;
  const row = key === undefined ? undefined : standingOf(tx, type, key);
  if (row === undefined) return [sayPointer('subject', where, 'is gone')];
  const fault = standingFault(row, subject, record);
  return fault === undefined ? [] : [sayPointer('subject', where, fault)];
};

/** Reports a thought that an `erase` record names, if the thought still has content or its row is gone. */
const checkEmptied = (tx: StoreReading, record: ReadRecord, id: string): Finding[] => {
  const row = thoughtRow(tx, id);
  const where = { log: record.log, seq: record.seq, table: 'thoughts', id: shown(id) };
  if (row?.log_id === record.log && Number(row.seq) > record.seq)
    return [sayPointer('subject', where, 'was erased before it was recorded')];
  if (row !== undefined && row.content === null && row.content_salt === null) return [];
  return [sayPointer('subject', where, row === undefined ? 'is gone' : 'was erased but is not empty')];
};

/** Reports a definition of a tool that an `erase` record names, if its text is still there or its row is gone. */
const checkForgotten = (tx: StoreReading, record: ReadRecord, id: string): Finding[] => {
  const row = definitionRow(tx, id);
  const where = { log: record.log, seq: record.seq, table: 'definitions', id: shown(id) };
  if (row?.log_id === record.log && Number(row.seq) > record.seq)
    return [sayPointer('subject', where, 'was erased before it was recorded')];
  if (row !== undefined && row.json === null) return [];
  return [sayPointer('subject', where, row === undefined ? 'is gone' : 'was erased but is not empty')];
};

/** Matches the id of an erased payload: `<log>/<seq>` of the record that it was stored beside. */
const PAYLOAD = /^(.+)\/(\d{1,15})$/;

const checkTakenOut = (tx: StoreReading, record: ReadRecord, id: string): Finding[] => {
  const [, log, seq] = PAYLOAD.exec(id) ?? [];
  const where = { log: record.log, seq: record.seq, table: 'payloads', id: shown(id) };
  if (log === record.log && Number(seq) >= record.seq)
    return [sayPointer('payload', where, 'was erased before it was recorded')];
  if (log === undefined || !isPayload(tx, log, Number(seq))) return [];
  return [sayPointer('payload', where, 'was erased but is there')];
};

const checkErased = (tx: StoreReading, record: ReadRecord): Finding[] => [
  ...erasedBy(record.body, 'thought').flatMap((id) => checkEmptied(tx, record, id)),
  ...erasedBy(record.body, 'definition').flatMap((id) => checkForgotten(tx, record, id)),
  ...erasedBy(record.body, 'payload').flatMap((id) => checkTakenOut(tx, record, id)),
];

/** Reports stored arguments (a payload) that are still there although a `prune` record says that they were removed. */
const checkPruned = (tx: StoreReading, { log, seq, body }: ReadRecord): Finding[] => {
  const where = { log, seq, table: 'payloads' };
  const pruned = prunedBy(body);
  if (pruned === undefined)
    return [sayPointer('payload', where, 'its record names arguments that it cannot have pruned')];
  const left = firstPayload(tx, pruned);
  return left === undefined
    ? []
    : [sayPointer('payload', { ...where, id: `${pruned.log}/${left}` }, 'was pruned but is there')];
};

export const checkSubjects = (
  tx: StoreReading,
  record: { log: string; seq: number; body: Record<string, unknown> },
): Finding[] => [
  ...subjectsOf(record.body).flatMap((subject) => checkSubject(tx, record, subject)),
  ...(record.body.kind === 'call.exit' ? checkApproved(tx, record) : []),
  ...(record.body.kind === 'erase' ? checkErased(tx, record) : []),
  ...(record.body.kind === 'prune' ? checkPruned(tx, record) : []),
];
