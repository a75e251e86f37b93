// The SQL that reads and writes sessions, and the hash chain of thoughts in each session.
import { randomBytes } from 'node:crypto';
import type { EvidenceWork } from '../../call/define-tool.js';
import { uuidV7 } from '../../core/ids.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import { newSalt, saltedDigest } from '../../ledger/hashes.js';
import { readBody } from '../../ledger/prove.js';
import type { Subject } from '../../proof/records.js';
import { FOR_UPDATE } from '../../store/dialect.js';
import type { ReadTx, SqlValue, Tx } from '../../store/store.js';
import { genesisHash, hashedFields, type ThoughtFields, type ThoughtRow, thoughtHash } from './thought.js';

export type SessionRow = {
  readonly session_id: string;
  readonly intent: string;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  /** Who seals the session: `agent`: the agent; `colibri`: Colibri when the task ends; `colibri <instance>`: that process when it ends. */
  readonly opened_by: string;
  readonly started_at: string;
  readonly genesis_hash: string;
  readonly finalized_at: string | null;
  readonly root: string | null;
  readonly record_count: number | null;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

/** A new session. `session_id`: the name that the caller chose; a UUID if absent. */
export type NewSession = Pick<SessionRow, 'intent' | 'task_id' | 'agent_id' | 'opened_by' | 'started_at'> & {
  readonly session_id?: string | undefined;
};

export type NewThought = Pick<ThoughtRow, 'session_id' | 'type' | 'task_id' | 'agent_id' | 'timestamp' | 'attempt'> & {
  readonly content: string;
  readonly skill?: ThoughtFields['skill'];
  /** The idempotency key of the request, and the canonical JSON of the request. */
  readonly idempotency?: { readonly key: string; readonly request: string };
};

const newId = (at: string): string => uuidV7(Date.parse(at), randomBytes(10));

export const SESSION_COLUMNS = `session_id, intent, task_id, agent_id, opened_by, started_at, genesis_hash, finalized_at, root,
  record_count, rev, salt, log_id, seq`;

/** A transaction that writes also keeps others from changing the session until it ends. */
export const findSession = (tx: ReadTx, sessionId: string): Promise<SessionRow | undefined> =>
  tx.get<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE session_id = ? ${FOR_UPDATE}`, sessionId);

/** The id of a task's newest open session, no matter who opened it. */
export const openSessionOf = async (tx: ReadTx, taskId: string): Promise<string | undefined> => {
  const row = await tx.get<{ session_id: string }>(
    'SELECT session_id FROM sessions WHERE task_id = ? AND finalized_at IS NULL ORDER BY started_at DESC LIMIT 1',
    taskId,
  );
  return row?.session_id;
};

/** The ids of the open sessions with this `opened_by`, of one task or of all. */
export const openSessionsBy = async (tx: ReadTx, openedBy: string, taskId?: string): Promise<string[]> => {
  const ofTask = taskId === undefined ? '' : 'task_id = ? AND ';
  const rows = await tx.all<{ session_id: string }>(
    `SELECT session_id FROM sessions WHERE ${ofTask}opened_by = ? AND finalized_at IS NULL ORDER BY started_at`,
    ...(taskId === undefined ? [openedBy] : [taskId, openedBy]),
  );
  return rows.map((row) => row.session_id);
};

/**
 * The open sessions that Colibri opened for a process. Their `opened_by` begins with 'colibri ' and so sorts before 'colibri!', the next
 * text that does not.
 */
export const openSessionsOfProcesses = (tx: ReadTx) =>
  tx.all<{ session_id: string; opened_by: string }>(
    `SELECT session_id, opened_by FROM sessions
     WHERE finalized_at IS NULL AND opened_by >= 'colibri ' AND opened_by < 'colibri!'`,
  );

/** A session as a record names it: its id, its revision, and the digest over its columns. */
const subjectOfSession = (row: SessionRow): Subject => {
  const { session_id, rev, salt, log_id: _log, seq: _seq, ...columns } = row;
  return subjectOf({ type: 'session', id: session_id, rev, salt, columns });
};

export const insertSession = async ({ tx, evidence }: EvidenceWork, session: NewSession): Promise<SessionRow> => {
  const { log, seq } = await evidence.place();
  const { session_id = newId(session.started_at), opened_by, ...rest } = session;
  const start = { session_id, ...rest };
  const row: SessionRow = {
    ...start,
    opened_by,
    genesis_hash: genesisHash({ log, ...start }),
    finalized_at: null,
    root: null,
    record_count: null,
    rev: 1,
    salt: rowSalt(),
    log_id: log,
    seq,
  };
  await insertRow(tx, 'sessions', row);
  evidence.add(subjectOfSession(row));
  return row;
};

const insertRow = (tx: Tx, table: string, row: Readonly<Record<string, SqlValue>>): Promise<number> => {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  return tx.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, ...Object.values(row));
};

/** Stores a sealed session. Returns what the seal record holds of the row: id, revision and digest. */
export const saveSession = async (tx: Tx, row: SessionRow): Promise<Subject> => {
  const { session_id, finalized_at, root, record_count, rev, salt, log_id, seq } = row;
  await tx.run(
    `UPDATE sessions SET finalized_at = ?, root = ?, record_count = ?, rev = ?, salt = ?, log_id = ?, seq = ?
     WHERE session_id = ?`,
    ...[finalized_at, root, record_count, rev, salt, log_id, seq, session_id],
  );
  return subjectOfSession(row);
};

/** The hashes of at most `limit` thoughts of a session from `place` on, in order. */
export const thoughtHashesFrom = async (tx: ReadTx, sessionId: string, place: number, limit: number) => {
  const rows = await tx.all<{ hash: string }>(
    'SELECT hash FROM thoughts WHERE session_id = ? AND place >= ? ORDER BY place LIMIT ?',
    ...[sessionId, place, limit],
  );
  return rows.map((row) => row.hash);
};

/** The place and `prev_hash` of the next thought in a session. */
const chainEnd = async (tx: ReadTx, sessionId: string): Promise<{ place: number; hash: string }> => {
  const last = await tx.get<{ place: number; hash: string }>(
    'SELECT place, hash FROM thoughts WHERE session_id = ? ORDER BY place DESC LIMIT 1',
    sessionId,
  );
  if (last !== undefined) return { place: last.place + 1, hash: last.hash };
  const session = await findSession(tx, sessionId);
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  return { place: 0, hash: session.genesis_hash };
};

export const THOUGHT_COLUMNS = `thought_id, session_id, place, type, task_id, agent_id, skill_name, skill_digest, content_digest,
  timestamp, prev_hash, hash, content, content_salt, idempotency_key, request_digest, log_id, seq, attempt`;

/** Appends a thought to its session's chain. The session must be open. */
export const insertThought = async ({ tx, evidence }: EvidenceWork, thought: NewThought): Promise<ThoughtRow> => {
  const { log, seq } = await evidence.place();
  const { skill = null, idempotency, ...given } = thought;
  const end = await chainEnd(tx, thought.session_id);
  const salt = newSalt();
  const unhashed = {
    ...given,
    thought_id: newId(thought.timestamp),
    place: end.place,
    skill_name: skill?.name ?? null,
    skill_digest: skill?.digest ?? null,
    content_digest: saltedDigest(salt, thought.content),
    prev_hash: end.hash,
    hash: '',
    content_salt: salt.toString('hex'),
    idempotency_key: idempotency?.key ?? null,
    request_digest: idempotency === undefined ? null : saltedDigest(salt, idempotency.request),
    log_id: log,
    seq,
  };
  const row: ThoughtRow = { ...unhashed, hash: thoughtHash(hashedFields(unhashed)) };
  await insertRow(tx, 'thoughts', row);
  evidence.add({ type: 'thought', id: row.thought_id, rev: 1, digest: row.hash });
  return row;
};

export const findThought = (tx: ReadTx, thoughtId: string): Promise<ThoughtRow | undefined> =>
  tx.get<ThoughtRow>(`SELECT ${THOUGHT_COLUMNS} FROM thoughts WHERE thought_id = ?`, thoughtId);

export const findThoughtByKey = (tx: ReadTx, sessionId: string, key: string): Promise<ThoughtRow | undefined> =>
  tx.get<ThoughtRow>(
    `SELECT ${THOUGHT_COLUMNS} FROM thoughts WHERE session_id = ? AND idempotency_key = ?`,
    sessionId,
    key,
  );

/** The thoughts about a task that have an idempotency key, in all its sessions. */
export const thoughtsOfTaskByKey = (tx: ReadTx, taskId: string, key: string): Promise<ThoughtRow[]> =>
  tx.all<ThoughtRow>(`SELECT ${THOUGHT_COLUMNS} FROM thoughts WHERE task_id = ? AND idempotency_key = ?`, taskId, key);

/** The number of a task's thoughts, in one attempt or in all. */
export const countThoughts = async (tx: ReadTx, taskId: string, attempt?: number): Promise<number> => {
  const row = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM thoughts WHERE task_id = ?${attempt === undefined ? '' : ' AND attempt = ?'}`,
    ...(attempt === undefined ? [taskId] : [taskId, attempt]),
  );
  return row?.count ?? 0;
};

/** Thoughts of one call have the same time, and their ids are in no order then; their places are. */
const NEWEST_FIRST = 'timestamp DESC, seq DESC, place DESC';

/** The id of the newest thought that was recorded for a task in one attempt. */
export const newestThought = async (tx: ReadTx, taskId: string, attempt: number): Promise<string | undefined> => {
  const row = await tx.get<{ thought_id: string }>(
    `SELECT thought_id FROM thoughts WHERE task_id = ? AND attempt = ? ORDER BY ${NEWEST_FIRST} LIMIT 1`,
    taskId,
    attempt,
  );
  return row?.thought_id;
};

/** A thought about a task, as it is shown to whoever takes the task over. */
export type NoteRow = Pick<ThoughtRow, 'thought_id' | 'timestamp' | 'agent_id' | 'content'>;

/** The newest thoughts about a task, the newest first. `content` is null if it was erased. */
export const newestNotes = (tx: ReadTx, taskId: string, limit: number, until = '9'): Promise<NoteRow[]> =>
  tx.all<NoteRow>(
    `SELECT thought_id, timestamp, agent_id, content FROM thoughts WHERE thought_id IN
       (SELECT thought_id FROM thoughts WHERE task_id = ? AND timestamp <= ?
        ORDER BY attempt DESC, ${NEWEST_FIRST} LIMIT ?)
     ORDER BY attempt DESC, ${NEWEST_FIRST}`,
    ...[taskId, until, limit],
  );

/** The newest thoughts about a task that were recorded under one name, at most `limit`, the newest last. */
export const lastThoughtsBy = async (
  tx: ReadTx,
  taskId: string,
  agentId: string | null,
  limit: number,
): Promise<ThoughtRow[]> => {
  const rows = await tx.all<ThoughtRow>(
    `SELECT ${THOUGHT_COLUMNS} FROM thoughts WHERE task_id = ? AND agent_id IS NOT DISTINCT FROM ?
     ORDER BY ${NEWEST_FIRST} LIMIT ?`,
    ...[taskId, agentId, limit],
  );
  return rows.reverse();
};

/** The number of the call that recorded a thought, read from the record written after the call (its outcome), to which the thought points. */
export const callThatRecorded = async (tx: ReadTx, thought: ThoughtRow): Promise<number> => {
  const { log_id: log, seq, thought_id } = thought;
  const body = await readBody(tx, { log, seq });
  const { sequence_no } = JSON.parse(body ?? '{}') as { readonly sequence_no?: number };
  if (sequence_no === undefined) throw new Error(`no call recorded thought ${thought_id}`);
  return sequence_no;
};
