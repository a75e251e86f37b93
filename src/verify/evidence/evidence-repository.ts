// The SQL for the checks of evidence rows. Every query reads one row, page or index range, never a whole table. Values may have
// any type, because somebody may have changed the file.

import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import type { StoreReading } from '../reading.js';
import type { StoredPrune } from './prune-record.js';

export type StoredRow = Readonly<Record<string, unknown>>;

/** The evidence tables: each of their rows is named by the record that last changed it. */
export type EvidenceTable =
  | 'tasks'
  | 'task_dependencies'
  | 'leases'
  | 'sessions'
  | 'thoughts'
  | 'catalogue'
  | 'adoptions'
  | 'replays'
  | 'definitions'
  | 'reputation_events'
  | 'approvals'
  | 'rounds'
  | 'votes'
  | 'voters'
  | 'heard';

/** The body of a record, found by its id `logs.no * 2^32 + seq`. */
export const storedBodyAt = (tx: StoreReading, log: string, seq: number): unknown =>
  tx.get<{ body: unknown }>(
    `SELECT a.body FROM logs l JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + ?
     WHERE l.log_id = ? AND a.log_id = l.log_id`,
    seq,
    log,
  )?.body;

export interface EvidenceLog {
  readonly log_id: unknown;
  readonly no: unknown;
}

export const evidenceLogs = (tx: StoreReading): EvidenceLog[] =>
  tx.all<EvidenceLog>('SELECT log_id, no FROM logs ORDER BY no');

/** The `erase` records of one log after the id `after`, and the id of the log's last record now. */
export const erasuresIn = (tx: StoreReading, no: number, after: number): { bodies: unknown[]; last: number } => {
  const end = (no + 1) * RECORDS_PER_LOG;
  const last = tx.get<{ id: number | null }>('SELECT MAX(id) AS id FROM actions WHERE id > ? AND id < ?', after, end);
  const rows = tx.all<{ body: unknown }>(
    "SELECT body FROM actions WHERE id > ? AND id < ? AND kind = 'erase' ORDER BY id",
    after,
    end,
  );
  return { bodies: rows.map(({ body }) => body), last: last?.id ?? after };
};

/** The tasks that a task depends on, each with its status; the status is null if there is no such task. */
export const storedDependencies = (tx: StoreReading, n: number): { n: number; status: unknown }[] =>
  tx.all<{ n: number; status: unknown }>(
    `SELECT d.depends_on_n AS n, t.status FROM task_dependencies d LEFT JOIN tasks t ON t.n = d.depends_on_n
     WHERE d.task_n = ? ORDER BY d.depends_on_n`,
    n,
  );

/** The project that took over (adopted) the tasks of an owner. */
export const adoptedBy = (tx: StoreReading, owner: string): unknown =>
  tx.get<{ project_id: unknown }>('SELECT project_id FROM adoptions WHERE owner = ?', owner)?.project_id;

export const isTaskRow = (tx: StoreReading, n: number): boolean =>
  tx.get<{ n: number }>('SELECT n FROM tasks WHERE n = ?', n) !== undefined;

export const isFlagged = (tx: StoreReading, n: number): boolean =>
  tx.get<{ task_n: number }>('SELECT task_n FROM leases WHERE task_n = ? AND flagged = 1', n) !== undefined;

export const highestTaskNumber = (tx: StoreReading): number | null =>
  tx.get<{ n: number | null }>('SELECT MAX(n) AS n FROM tasks')?.n ?? null;

/** The columns of a session that the check of a thought needs. */
export const sessionEnds = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT genesis_hash, finalized_at, log_id, seq FROM sessions WHERE session_id = ?', id);

export const thoughtRow = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT content, content_salt, log_id, seq FROM thoughts WHERE thought_id = ?', id);

/** What became of an approval. */
export const approvalRow = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT state, used_by, via, claimed, answered_by, round FROM approvals WHERE approval_id = ?', id);

/** The votes on a round. */
export const storedVotes = (tx: StoreReading, round: string): StoredRow[] =>
  tx.all<StoredRow>('SELECT vote_id, round_id, voter, vote, root, form, identity FROM votes WHERE round_id = ?', round);

/** What an approval that voters gave is checked against. */
export const roundRow = (tx: StoreReading, round: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT proposal, decision, result, expires_at FROM rounds WHERE round_id = ?', round);

/** What a vote is checked against: its round, and the voter of its name. */
export const roundOfVote = (tx: StoreReading, round: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT root, proposal FROM rounds WHERE round_id = ?', round);
export const voterOfVote = (tx: StoreReading, name: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT public_key, rev FROM voters WHERE name = ?', name);

/** Signatures of others under checkpoints of a log above a size. */
export const storedCosignatures = (tx: StoreReading, log: string, above: number): StoredRow[] =>
  tx.all<StoredRow>("SELECT statement FROM heard WHERE kind = 'cosigned' AND log = ? AND size > ?", log, above);

/** The first checkpoint of a log that covers its record `seq`. */
export const checkpointAfter = (tx: StoreReading, log: string, seq: number): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT note FROM checkpoints WHERE log_id = ? AND size > ? ORDER BY no LIMIT 1', log, seq);

export const isOwnStore = (tx: StoreReading, store: string): boolean =>
  tx.get('SELECT store_id FROM identity WHERE store_id = ?', store) !== undefined;

/** The text of a stored definition of a tool, and the record that the row points to. */
export const definitionRow = (tx: StoreReading, digest: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT json, log_id, seq FROM definitions WHERE digest = ?', digest);

/**
 * The columns of a thought with which a task's transition is compared: its task and attempt, and the position of the record that made it.
 */
export const thoughtPlace = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT task_id, attempt, log_id, seq FROM thoughts WHERE thought_id = ?', id);

/** A task's row, and the number of the call that created the task, which is found by `first`, the id of the record of the task's first revision. */
export const taskStanding = (tx: StoreReading, n: number, first: number): StoredRow | undefined =>
  tx.get<StoredRow>(
    `SELECT version, status, attempt, call_no, (SELECT sequence_no FROM actions WHERE id = ?) AS made_by
     FROM tasks WHERE n = ?`,
    first,
    n,
  );

export const leaseFlags = (tx: StoreReading, n: number): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT rev, released, flagged FROM leases WHERE task_n = ?', n);

/** The log, the number and the body of the record with this id. */
export const recordPlace = (tx: StoreReading, id: number): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT log_id, seq, body FROM actions WHERE id = ?', id);

/** The bodies of a log's outcome records, from the id `from` on, which say that leases have run out. */
export const expirationsFrom = (tx: StoreReading, no: number, from: number, limit: number): unknown[] =>
  tx
    .all<{ body: unknown }>(
      `SELECT body FROM actions WHERE id >= ? AND id < ? AND kind = 'call.exit' AND body LIKE '%"expired":%' LIMIT ?`,
      from,
      (no + 1) * RECORDS_PER_LOG,
      limit,
    )
    .map(({ body }) => body);

export const isPayload = (tx: StoreReading, log: string, seq: number): boolean =>
  tx.get<{ seq: number }>('SELECT seq FROM payloads WHERE log_id = ? AND seq = ?', log, seq) !== undefined;

/** The number of the first record in a pruned range that still has a payload (stored arguments); undefined if no record has one. */
export const firstPayload = (tx: StoreReading, { log, from, to }: StoredPrune): unknown =>
  tx.get<{ seq: unknown }>(
    'SELECT seq FROM payloads WHERE log_id = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT 1',
    log,
    from,
    to,
  )?.seq;

/** The hash of a thought and the record that it points to, by its place in its session. */
export const thoughtAt = (tx: StoreReading, sessionId: string, place: number): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT hash, log_id, seq FROM thoughts WHERE session_id = ? AND place = ?', sessionId, place);

/** The hashes of a session's thoughts, in order, from the thought at `place` on. */
export const storedHashesFrom = (
  tx: StoreReading,
  sessionId: string,
  place: number,
  count: number,
): { hash: unknown }[] =>
  tx.all<{ hash: unknown }>(
    'SELECT hash FROM thoughts WHERE session_id = ? AND place >= ? AND place < ? ORDER BY place',
    sessionId,
    place,
    place + count,
  );

export const countSessionThoughts = (tx: StoreReading, sessionId: string): number =>
  tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM thoughts WHERE session_id = ?', sessionId)?.count ?? 0;

export const sessionsAbout = (tx: StoreReading, taskId: string): string[] =>
  tx
    .all<{ session_id: string }>(
      `SELECT session_id FROM sessions WHERE task_id = ?
       UNION SELECT session_id FROM thoughts WHERE task_id = ? ORDER BY session_id`,
      taskId,
      taskId,
    )
    .map(({ session_id }) => session_id);

/** The revision of an evidence row, and the record that the row points to. */
export interface StoredStanding {
  readonly rev: unknown;
  readonly log_id: unknown;
  readonly seq: unknown;
  /** The digest of the row; undefined if its table has no column for a digest. */
  readonly digest?: unknown;
}

const STANDINGS = {
  task: 'SELECT version AS rev, log_id, seq FROM tasks WHERE n = ?',
  lease: 'SELECT rev, log_id, seq FROM leases WHERE task_n = ?',
  session: 'SELECT rev, log_id, seq FROM sessions WHERE session_id = ?',
  thought: 'SELECT 1 AS rev, log_id, seq, hash AS digest FROM thoughts WHERE thought_id = ?',
  replay: 'SELECT 1 AS rev, log_id, seq FROM replays WHERE task_n = ? AND idempotency_key = ?',
  approval: 'SELECT rev, log_id, seq FROM approvals WHERE approval_id = ?',
  round: 'SELECT rev, log_id, seq FROM rounds WHERE round_id = ?',
  vote: 'SELECT rev, log_id, seq FROM votes WHERE vote_id = ?',
  voter: 'SELECT rev, log_id, seq FROM voters WHERE name = ?',
  heard: 'SELECT rev, log_id, seq FROM heard WHERE event_id = ?',
  definition: 'SELECT 1 AS rev, log_id, seq FROM definitions WHERE digest = ?',
  adoption: 'SELECT 1 AS rev, log_id, seq FROM adoptions WHERE owner = ?',
  catalogue: "SELECT rev, log_id, seq FROM catalogue WHERE connection || '/' || client || '/' || server = ?",
} as const;

export const standingOf = (
  tx: StoreReading,
  type: keyof typeof STANDINGS,
  key: readonly (string | number)[],
): StoredStanding | undefined =>
  tx.get<{ rev: unknown; log_id: unknown; seq: unknown; digest?: unknown }>(STANDINGS[type], ...key);

/** The sums of the stored events for each node, domain and date, and the stored rows of days. */
export const reputationSums = (tx: StoreReading): { readonly events: StoredRow[]; readonly days: StoredRow[] } => ({
  events: tx.all<StoredRow>(
    `SELECT node_id, domain, substr(at, 1, 10) AS date, CAST(SUM(good) AS INTEGER) AS successes, CAST(SUM(1 - good) AS INTEGER) AS failures
     FROM reputation_events GROUP BY node_id, domain, substr(at, 1, 10)`,
  ),
  days: tx.all<StoredRow>('SELECT node_id, domain, day, successes, failures FROM reputation_days'),
});
