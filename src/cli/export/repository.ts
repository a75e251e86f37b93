// The SQL of an export: reads pages in the order of the primary key. Arguments, which may be long, have a query of their own.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { ROW_COLUMNS } from '../../domains/tasks/repository.js';
import type { TaskRow } from '../../domains/tasks/task.js';
import { SESSION_COLUMNS, type SessionRow, THOUGHT_COLUMNS } from '../../domains/trail/repository.js';
import type { ThoughtRow } from '../../domains/trail/thought.js';
import { findOutcome } from '../../ledger/outcomes.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';

/** The time span that is exported: from `since` (included) to `until` (excluded), in the time format of records. */
export interface Period {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** The two ends of a period. If an end is not given, a text stands for it that sorts before, or after, every recorded time. */
const boundsOf = ({ since, until }: Period): readonly [string, string] => [since ?? '', until ?? '~'];

export type ExportedLog = {
  readonly no: number;
  readonly log: string;
  readonly node: string;
  readonly public_key: string;
  readonly size: number;
  readonly opened_at: string;
  readonly closed_at: string | null;
};

export const exportedLogs = (tx: ReadTx): Promise<ExportedLog[]> =>
  tx.all<ExportedLog>('SELECT no, log_id AS log, node, public_key, size, opened_at, closed_at FROM logs ORDER BY no');

export type CheckpointRow = { readonly log: string; readonly no: number; readonly size: number; readonly note: string };

/** The checkpoints of a log after number `no` that cover at most `size` records. */
export const checkpointsAfter = (tx: ReadTx, log: string, no: number, size: number): Promise<CheckpointRow[]> =>
  tx.all<CheckpointRow>(
    'SELECT log_id AS log, no, size, note FROM checkpoints WHERE log_id = ? AND no > ? AND size <= ? ORDER BY no LIMIT ?',
    log,
    no,
    size,
    CLI_LIMITS.exportRows,
  );

export type RecordRow = {
  readonly seq: number;
  readonly kind: string;
  readonly at: string;
  readonly tool: string | null;
  readonly sequence_no: number | null;
  readonly leaf: string;
  readonly body: string;
  /** The salt of the record's stored arguments; null if none are stored. */
  readonly salt: string | null;
  readonly bytes: number | null;
};

export interface ExportedStretch {
  readonly log: ExportedLog;
  readonly from: number;
  /** The number of the first record after the range. */
  readonly to: number;
}

const RECORD = `SELECT a.seq, a.kind, a.at, a.tool, a.sequence_no, a.leaf, a.body, p.salt, octet_length(p.json) AS bytes
  FROM actions a LEFT JOIN payloads p ON p.log_id = a.log_id AND p.seq = a.seq
  WHERE a.id >= ? AND a.id < ? AND a.at >= ? AND a.at < ?`;

const idsOf = ({ log, from, to }: ExportedStretch): readonly [number, number] => [
  log.no * RECORDS_PER_LOG + from,
  log.no * RECORDS_PER_LOG + to,
];

export const exportedRecords = (tx: ReadTx, stretch: ExportedStretch, period: Period): Promise<RecordRow[]> =>
  tx.all<RecordRow>(`${RECORD} ORDER BY a.id`, ...idsOf(stretch), ...boundsOf(period));

/** The records of calls' starts (intents) in a range of records. */
export const exportedIntents = (tx: ReadTx, stretch: ExportedStretch, period: Period): Promise<RecordRow[]> =>
  tx.all<RecordRow>(`${RECORD} AND a.kind = 'call.enter' ORDER BY a.id`, ...idsOf(stretch), ...boundsOf(period));

/** The stored arguments of calls, by the number of the call's intent. */
export const argumentsIn = async (
  tx: ReadTx,
  { log, from, to }: ExportedStretch,
): Promise<Map<number, string | null>> => {
  const rows = await tx.all<{ seq: number; json: string | null }>(
    'SELECT seq, json FROM payloads WHERE log_id = ? AND seq >= ? AND seq < ?',
    log.log,
    from,
    to,
  );
  return new Map(rows.map(({ seq, json }) => [seq, json]));
};

export const exportedOutcome = async (tx: ReadTx, log: string, sequenceNo: number) => {
  const id = await findOutcome(tx, log, sequenceNo);
  if (id === undefined) return undefined;
  return tx.get<{ seq: number; at: string; body: string }>('SELECT seq, at, body FROM actions WHERE id = ?', id);
};

export type TaskExport = TaskRow & { readonly salt: string; readonly log_id: string; readonly seq: number };

export const tasksAfter = (tx: ReadTx, n: number, period: Period): Promise<TaskExport[]> =>
  tx.all<TaskExport>(
    `SELECT ${ROW_COLUMNS}, salt, log_id, seq FROM tasks
     WHERE n > ? AND updated_at >= ? AND updated_at < ? ORDER BY n LIMIT ?`,
    n,
    ...boundsOf(period),
    CLI_LIMITS.exportRows,
  );

export const highestTask = async (tx: ReadTx): Promise<number> =>
  (await tx.get<{ n: number | null }>('SELECT MAX(n) AS n FROM tasks'))?.n ?? 0;

/**
 * The sessions whose ids come after the given id, whenever they began: a thought in the exported period may belong to a session that began
 * long before.
 */
export const sessionsAfter = (tx: ReadTx, id: string): Promise<SessionRow[]> =>
  tx.all<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE session_id > ? ORDER BY session_id LIMIT ?`,
    id,
    CLI_LIMITS.exportRows,
  );

/** The thoughts of a period whose ids come after the given id. Ids begin with the time, so the thoughts are in the order of time. */
export const thoughtsAfter = (tx: ReadTx, id: string, period: Period): Promise<ThoughtRow[]> =>
  tx.all<ThoughtRow>(
    `SELECT ${THOUGHT_COLUMNS} FROM thoughts
     WHERE thought_id > ? AND timestamp >= ? AND timestamp < ? ORDER BY thought_id LIMIT ?`,
    id,
    ...boundsOf(period),
    CLI_LIMITS.exportRows,
  );

export const countAllThoughts = async (tx: ReadTx): Promise<number> =>
  (await tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM thoughts'))?.n ?? 0;
