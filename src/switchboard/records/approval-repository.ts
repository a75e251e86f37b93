// The rows of approvals, and the record of each change of one. A state is changed by a compare-and-set on the revision, in the transaction that
// appends the record: of two processes that use one approval, one does.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { type EvidenceRow, rowSalt, subjectOf } from '../../ledger/evidence.js';
import { readHead, readSize } from '../../ledger/head.js';
import { type Appended, append } from '../../ledger/ledger.js';
import type { OwnLog } from '../../ledger/own-log.js';
import { readBody } from '../../ledger/prove.js';
import { parsedObject } from '../../proof/canonical-json.js';
import type { Subject } from '../../proof/records.js';
import type { ApprovalRecord, ApprovalState, ApprovalWay } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

export type ApprovalRow = {
  readonly approval_id: string;
  readonly exact: string;
  readonly server: string;
  readonly tool: string;
  readonly args_digest: string;
  readonly definition: string;
  readonly state: ApprovalState;
  readonly via: ApprovalWay | null;
  readonly answered_by: string | null;
  readonly claimed: number;
  readonly reason: string | null;
  readonly call_id: string;
  readonly used_by: string | null;
  readonly instance: string;
  readonly asker: string;
  readonly asked_at: string;
  readonly expires_at: string;
  /** The round whose votes decide, if several must allow the call. */
  readonly round: string | null;
  readonly args: string | null;
  readonly args_salt: string;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

/** The columns that are in the digest of a row; `round` is, too, where it is not null. */
const APPROVAL_COLUMNS = [
  ...['exact', 'server', 'tool', 'args_digest', 'definition', 'state', 'via', 'answered_by', 'claimed', 'reason'],
  ...['call_id', 'used_by', 'instance', 'asker', 'asked_at', 'expires_at'],
] as const;

const approvalEvidence = (row: Readonly<Record<string, unknown>>): EvidenceRow => ({
  type: 'approval',
  id: String(row.approval_id),
  rev: row.rev as number,
  salt: row.salt as string,
  columns: {
    ...Object.fromEntries(APPROVAL_COLUMNS.map((name) => [name, row[name]])),
    ...(row.round !== null && { round: row.round }),
  },
});

/** Where a change is recorded, and when it happens. */
export interface ApprovalBooks {
  readonly log: OwnLog;
  readonly at: string;
}

const COLUMNS = [
  'approval_id',
  ...APPROVAL_COLUMNS,
  'round',
  'args',
  'args_salt',
  'rev',
  'salt',
  'log_id',
  'seq',
] as const;
const ALL = COLUMNS.join(', ');
const INSERT = `INSERT INTO approvals (${ALL}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const CHANGE = `UPDATE approvals SET state = ?, via = ?, answered_by = ?, claimed = ?, reason = ?, used_by = ?, args = ?, rev = ?, salt = ?, log_id = ?,
  seq = ? WHERE approval_id = ? AND rev = ?`;
const LIVE = `SELECT ${ALL} FROM approvals WHERE exact = ? AND state IN ('asked', 'granted', 'denied') ORDER BY asked_at DESC, approval_id`;
const WAITING = `SELECT ${ALL} FROM approvals WHERE state IN ('asked', 'granted') ORDER BY asked_at, approval_id`;
const NEWEST = `SELECT * FROM (SELECT ${ALL} FROM approvals ORDER BY asked_at DESC, approval_id DESC LIMIT ?) AS newest
  ORDER BY asked_at, approval_id`;
const ONE = `SELECT ${ALL} FROM approvals WHERE approval_id = ?`;
const BEGINNING = `SELECT approval_id FROM approvals WHERE substr(approval_id, 1, ?) = ? ORDER BY asked_at DESC, approval_id LIMIT ?`;
const DUE = `SELECT ${ALL} FROM approvals WHERE (state = 'asked' OR state = 'granted') AND expires_at <= ?
  AND log_id IN (SELECT log_id FROM logs WHERE log_id = ? OR closed_at IS NOT NULL) ORDER BY asked_at, approval_id LIMIT ?`;
const OF_CALL = `SELECT ${ALL} FROM approvals WHERE used_by = ? OR call_id = ? ORDER BY asked_at, approval_id`;

export const liveApprovals = (tx: ReadTx, exact: string): Promise<ApprovalRow[]> => tx.all<ApprovalRow>(LIVE, exact);
export const waitingApprovals = (tx: ReadTx): Promise<ApprovalRow[]> => tx.all<ApprovalRow>(WAITING);
/** The newest approvals, in the order of those that wait: the oldest of them first. */
export const newestApprovals = (tx: ReadTx, most: number): Promise<ApprovalRow[]> => tx.all<ApprovalRow>(NEWEST, most);
export const approvalById = (tx: ReadTx, id: string): Promise<ApprovalRow | undefined> => tx.get<ApprovalRow>(ONE, id);
/** The ids of approvals that begin so, the newest first. */
export const approvalsBeginning = async (tx: ReadTx, prefix: string, most: number): Promise<readonly string[]> =>
  (await tx.all<{ approval_id: string }>(BEGINNING, prefix.length, prefix, most)).map(({ approval_id }) => approval_id);
/** The approvals that a call asked for or used. */
export const approvalsOfCall = (tx: ReadTx, call: string): Promise<ApprovalRow[]> =>
  tx.all<ApprovalRow>(OF_CALL, call, call);

/** `beside`: other rows that begin with the approval. */
const recordOf = (row: ApprovalRow, beside: readonly Subject[] = []): ApprovalRecord => {
  const isAnswered = row.via !== null;
  return {
    kind: 'approval',
    approval_id: row.approval_id,
    state: row.state,
    ...(row.state === 'asked' && { call: row.call_id }),
    ...(row.state === 'used' && row.used_by !== null && { call: row.used_by }),
    server: asName(row.server),
    tool: asName(row.tool),
    args_digest: row.args_digest,
    definition: row.definition,
    by: isAnswered ? row.answered_by : null,
    via: row.via,
    ...(row.claimed === 1 && { claimed: true as const }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.round !== null && { round: row.round }),
    instance: row.instance,
    expires_at: row.expires_at,
    subjects: [subjectOf(approvalEvidence(row)), ...beside],
  };
};

const newApprovalId = (): string => randomBytes(5).toString('hex');

export type AskedFor = Omit<
  ApprovalRow,
  | 'approval_id'
  | 'state'
  | 'via'
  | 'answered_by'
  | 'claimed'
  | 'reason'
  | 'used_by'
  | 'rev'
  | 'salt'
  | 'log_id'
  | 'seq'
  | 'asked_at'
>;

/** Adds an approval that is asked for, with its record, the next one of the log. `beside`: other rows that the record makes. */
export const insertApproval = async (
  tx: Tx,
  asked: AskedFor,
  { log, at }: ApprovalBooks,
  beside: readonly Subject[] = [],
): Promise<ApprovalRow> => {
  const row: ApprovalRow = {
    ...asked,
    approval_id: newApprovalId(),
    ...{ state: 'asked', via: null, answered_by: null, claimed: 0, reason: null, used_by: null },
    ...{ asked_at: at, rev: 1, salt: rowSalt(), log_id: log.id, seq: await readSize(tx, log.id) },
  };
  await tx.run(INSERT, ...COLUMNS.map((name) => row[name]));
  await append(tx, log, [{ at, record: recordOf(row, beside) }]);
  return row;
};

export interface ApprovalChange
  extends Partial<Pick<ApprovalRow, 'via' | 'answered_by' | 'claimed' | 'reason' | 'used_by'>> {
  readonly state: ApprovalState;
}

/** Changes the state of an approval, with its record; undefined if somebody else changed it since it was read. */
export const changeApproval = async (
  tx: Tx,
  before: ApprovalRow,
  change: ApprovalChange,
  { log, at }: ApprovalBooks,
): Promise<{ readonly row: ApprovalRow; readonly appended: readonly Appended[] } | undefined> => {
  const row: ApprovalRow = {
    ...before,
    ...change,
    // Once nobody has to look at the arguments any more, they go.
    args: change.state === 'granted' ? before.args : null,
    ...{ rev: before.rev + 1, salt: rowSalt(), log_id: log.id, seq: await readSize(tx, log.id) },
  };
  const { state, via, answered_by, claimed, reason, used_by, args, rev, salt, log_id, seq } = row;
  const set = [state, via, answered_by, claimed, reason, used_by, args, rev, salt, log_id, seq];
  const changes = await tx.run(CHANGE, ...set, before.approval_id, before.rev);
  if (changes !== 1) return undefined;
  return { row, appended: await append(tx, log, [{ at, record: recordOf(row) }]) };
};

const LATER = "SELECT body FROM actions WHERE log_id = ? AND id > ? AND id < ? AND kind = 'approval'";

/** Whether a row says what its record says, and no later record of the log is about it: a row that somebody edited or put back is worth nothing. */
export const isAsRecorded = async (tx: ReadTx, row: ApprovalRow): Promise<boolean> => {
  const { base } = await readHead(tx, row.log_id);
  const [said] = subjectsIn(await readBody(tx, { log: row.log_id, seq: row.seq }));
  if (!isDeepStrictEqual(said, subjectOf(approvalEvidence(row)))) return false;
  const later = await tx.all<{ body: string }>(LATER, row.log_id, base + row.seq, base + RECORDS_PER_LOG);
  return !later.some(({ body }) => parsedObject(body)?.approval_id === row.approval_id);
};

/** What a record of an approval says of rows: first of its own. */
const subjectsIn = (body: string | undefined): readonly unknown[] => {
  const { kind, subjects } = parsedObject(body) ?? {};
  return kind === 'approval' && Array.isArray(subjects) ? subjects : [];
};

/** Whether the time of an approval is over. */
export const isOver = ({ expires_at }: Pick<ApprovalRow, 'expires_at'>, at: string): boolean => expires_at <= at;

/** Records that approvals ran out, those of `rows` whose time is over. Returns the others. */
export const expireOver = async (
  tx: Tx,
  rows: readonly ApprovalRow[],
  books: ApprovalBooks,
): Promise<readonly ApprovalRow[]> => {
  const left: ApprovalRow[] = [];
  for (const row of rows) {
    if (!isOver(row, books.at)) left.push(row);
    else if (row.state !== 'denied') await changeApproval(tx, row, { state: 'expired' }, books);
  }
  return left;
};

/** Records of the approvals of this log, and of closed ones, whose time is over that they ran out; with that their arguments go. At most some at a time. */
export const expireDue = async (tx: Tx, books: ApprovalBooks): Promise<void> => {
  await expireOver(tx, await tx.all<ApprovalRow>(DUE, books.at, books.log.id, SWITCHBOARD_LIMITS.expiredAtOnce), books);
};
