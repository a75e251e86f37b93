// The SQL of the task board and of one task's history. Every count and every list is answered by an index.
import { type ListFilter, rowsByNumber } from '../../domains/tasks/queue-repository.js';
import { isTerminal, TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';
import { PRIORITIES, rankOf, type TaskRow } from '../../domains/tasks/task.js';
import type { ReadTx, SqlValue } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';

export type BoardFilter = Pick<ListFilter, 'owner' | 'assignee'>;

interface Where {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

const whereOf = ({ owner, assignee }: BoardFilter, more: Readonly<Record<string, SqlValue>> = {}): Where => {
  const given: [string, SqlValue][] = Object.entries(more);
  if (owner !== undefined) given.push(['t.owner', owner]);
  if (assignee !== undefined) given.push(['t.assignee', assignee]);
  const text = given.map(([column]) => `${column} = ?`).join(' AND ');
  return { text: text || '1 = 1', params: given.map(([, value]) => value) };
};

/** How many, up to a bound: a person is not told more by 499,668 than by `10,000+`, and the disk has to read it. */
const countUpTo = async (tx: ReadTx, most: number, sql: string, params: readonly SqlValue[]): Promise<number> =>
  (await tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM (${sql} LIMIT ?) s`, ...params, most))?.n ?? 0;

/** Up to CLI_LIMITS.lookTasks each: an index alone answers it. */
export const countByState = async (tx: ReadTx, filter: BoardFilter): Promise<Record<TaskState, number>> => {
  const counts: [TaskState, number][] = [];
  for (const state of TASK_STATES) {
    const { text, params } = whereOf(filter, { 't.status': state });
    counts.push([state, await countUpTo(tx, CLI_LIMITS.lookTasks, `SELECT t.n FROM tasks t WHERE ${text}`, params)]);
  }
  return Object.fromEntries(counts) as Record<TaskState, number>;
};

/** Up to CLI_LIMITS.lookRows: each is read. Null for one assignee: nothing leads to those that are blocked. */
export const countBlocked = async (tx: ReadTx, filter: BoardFilter): Promise<number | null> => {
  if (filter.assignee !== undefined) return null;
  const { text, params } = whereOf(filter);
  const sql = `SELECT t.n FROM tasks t WHERE t.terminal = 0 AND t.open_deps > 0 AND ${text}`;
  return countUpTo(tx, CLI_LIMITS.lookRows, sql, params);
};

const LIVE = 'l.flagged = 1 AND l.until > ?';

/**
 * Up to CLI_LIMITS.lookRows. Null where more are live than may be asked for their project or assignee. CROSS JOIN: SQLite
 * would begin with all the tasks of a project.
 */
export const countLeases = async (tx: ReadTx, filter: BoardFilter, now: string): Promise<number | null> => {
  const all = await countUpTo(tx, CLI_LIMITS.lookRows, `SELECT l.task_n FROM leases l WHERE ${LIVE}`, [now]);
  if (filter.owner === undefined && filter.assignee === undefined) return all;
  if (all >= CLI_LIMITS.lookRows) return null;
  const { text, params } = whereOf(filter);
  const sql = `SELECT t.n FROM leases l CROSS JOIN tasks t WHERE ${LIVE} AND t.n = l.task_n AND ${text}`;
  return countUpTo(tx, CLI_LIMITS.lookRows, sql, [now, ...params]);
};

/** The first of a state: open ones as the queue would have them, ended ones the newest. */
export const firstInState = async (
  tx: ReadTx,
  filter: BoardFilter,
  state: TaskState,
  limit: number,
): Promise<TaskRow[]> => {
  const numbers: number[] = [];
  const order = isTerminal(state) ? 'DESC' : 'ASC';
  for (const priority of PRIORITIES) {
    if (!isTerminal(state) && numbers.length >= limit) break;
    const { text, params } = whereOf(filter, { 't.status': state, 't.priority_rank': rankOf(priority) });
    const rows = await tx.all<{ n: number }>(
      `SELECT t.n FROM tasks t WHERE ${text} ORDER BY t.n ${order} LIMIT ?`,
      ...params,
      limit,
    );
    numbers.push(...rows.map(({ n }) => n));
  }
  const wanted = (isTerminal(state) ? numbers.sort((a, b) => b - a) : numbers).slice(0, limit);
  if (wanted.length === 0) return [];
  const rows = new Map((await rowsByNumber(tx, wanted)).map((row) => [row.n, row]));
  return wanted.flatMap((n) => rows.get(n) ?? []);
};

export type RecordPlaceRow = { readonly log_id: string; readonly seq: number };

/** The records that changed a task and its lease last. */
export const lastChanges = async (tx: ReadTx, n: number): Promise<RecordPlaceRow[]> => [
  ...(await tx.all<RecordPlaceRow>('SELECT log_id, seq FROM tasks WHERE n = ?', n)),
  ...(await tx.all<RecordPlaceRow>('SELECT log_id, seq FROM leases WHERE task_n = ?', n)),
];

export type TaskThought = RecordPlaceRow & {
  readonly thought_id: string;
  readonly session_id: string;
  readonly type: string;
  readonly agent_id: string | null;
  readonly content: string | null;
  readonly timestamp: string;
};

/** The newest thoughts about a task; contents are read of those alone. */
export const thoughtsOfTask = (tx: ReadTx, taskId: string, limit: number): Promise<TaskThought[]> =>
  tx.all<TaskThought>(
    `SELECT log_id, seq, thought_id, session_id, type, agent_id, content, timestamp FROM thoughts
     WHERE thought_id IN (SELECT thought_id FROM thoughts WHERE task_id = ? ORDER BY timestamp DESC LIMIT ?)
     ORDER BY timestamp, place`,
    taskId,
    limit,
  );
