// The SQL of a page: records, the texts beside them and the rows that they name, by their place or their key.
import { listOf } from '../../domains/tasks/dependency-repository.js';
import { ROW_COLUMNS } from '../../domains/tasks/repository.js';
import type { TaskRow } from '../../domains/tasks/task.js';
import { SESSION_COLUMNS, type SessionRow, THOUGHT_COLUMNS } from '../../domains/trail/repository.js';
import type { ThoughtRow } from '../../domains/trail/thought.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';

/** The records `from … to - 1` of a log, whose record 0 has the id `base`. */
export interface PageStretch {
  readonly log: string;
  readonly base: number;
  readonly from: number;
  readonly to: number;
}

export const bodiesIn = (tx: ReadTx, { base, from, to }: PageStretch) =>
  tx.all<{ seq: number; body: string }>(
    'SELECT seq, body FROM actions WHERE id >= ? AND id < ? ORDER BY id',
    base + from,
    base + to,
  );

export const textsStoredIn = (tx: ReadTx, { log, from, to }: PageStretch) =>
  tx.all<{ seq: number; salt: string; json: string }>(
    `SELECT seq, salt, json FROM payloads WHERE log_id = ? AND seq >= ? AND seq < ? AND json IS NOT NULL ORDER BY seq`,
    log,
    from,
    to,
  );

export type PageTask = TaskRow & { readonly salt: string; readonly log_id: string; readonly seq: number };

export const tasksNumbered = (tx: ReadTx, wanted: readonly number[]): Promise<PageTask[]> => {
  const { marks, numbers } = listOf(wanted);
  const sql = `SELECT ${ROW_COLUMNS}, salt, log_id, seq FROM tasks WHERE n IN (${marks}) ORDER BY n`;
  return tx.all<PageTask>(sql, ...numbers);
};

/** The numbers of the newest tasks that have not ended. */
export const openTaskNumbers = async (tx: ReadTx, limit: number): Promise<number[]> =>
  (await tx.all<{ n: number }>('SELECT n FROM tasks WHERE terminal = 0 ORDER BY n DESC LIMIT ?', limit)).map(
    ({ n }) => n,
  );

export const thoughtsStoredIn = (tx: ReadTx, { log, from, to }: PageStretch): Promise<ThoughtRow[]> =>
  tx.all<ThoughtRow>(
    `SELECT ${THOUGHT_COLUMNS} FROM thoughts WHERE log_id = ? AND seq >= ? AND seq < ? ORDER BY seq, place`,
    log,
    from,
    to,
  );

export const sessionNamed = (tx: ReadTx, id: string): Promise<SessionRow | undefined> =>
  tx.get<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE session_id = ?`, id);

/** The sessions about a task, or with a thought about it. */
export const sessionsOn = async (tx: ReadTx, taskId: string): Promise<string[]> =>
  (
    await tx.all<{ session_id: string }>(
      `SELECT session_id FROM sessions WHERE task_id = ?
       UNION SELECT session_id FROM thoughts WHERE task_id = ? ORDER BY session_id LIMIT ?`,
      taskId,
      taskId,
      CLI_LIMITS.pageSessions,
    )
  ).map(({ session_id }) => session_id);

/** The places of the records of a session's thoughts. */
export const thoughtPlacesOf = (tx: ReadTx, session: string) =>
  tx.all<{ log_id: string; seq: number }>(
    'SELECT DISTINCT log_id, seq FROM thoughts WHERE session_id = ? ORDER BY log_id, seq LIMIT ?',
    session,
    CLI_LIMITS.pageRecords,
  );

export const leasesHeld = (tx: ReadTx, now: string) =>
  tx.all<{ task_n: number; holder: string; until: string }>(
    'SELECT task_n, holder, until FROM leases WHERE flagged = 1 AND until > ? ORDER BY until LIMIT ?',
    now,
    CLI_LIMITS.pageLeases,
  );
