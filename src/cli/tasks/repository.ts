// The SQL of `colibri tasks`: counts and lists of tasks, and one task's history. Every count and list uses an index.
import { type ListFilter, rowsByNumber } from '../../domains/tasks/queue-repository.js';
import { isTerminal, TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';
import { PRIORITIES, rankOf } from '../../domains/tasks/task.js';
import type { ReadTx, SqlValue } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';

export type BoardFilter = Pick<ListFilter, 'owner' | 'assignee'>;

const whereOf = ({ owner, assignee }: BoardFilter, more: Readonly<Record<string, SqlValue>> = {}) => {
  const given: [string, SqlValue][] = Object.entries(more);
  if (owner !== undefined) given.push(['t.owner', owner]);
  if (assignee !== undefined) given.push(['t.assignee', assignee]);
  const text = given.map(([column]) => `${column} = ?`).join(' AND ');
  return { text: text || '1 = 1', params: given.map(([, value]) => value) };
};

/** Counts at most `most` rows: `10,000+` tells a person as much as 499,668 and reads far fewer rows. */
const countUpTo = async (tx: ReadTx, most: number, sql: string, params: readonly SqlValue[]): Promise<number> =>
  (await tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM (${sql} LIMIT ?) s`, ...params, most))?.n ?? 0;

/** Counts the tasks in each state, at most CLI_LIMITS.lookTasks, from an index alone. */
export const countByState = async (tx: ReadTx, filter: BoardFilter): Promise<Record<TaskState, number>> => {
  const counts: [TaskState, number][] = [];
  for (const state of TASK_STATES) {
    const { text, params } = whereOf(filter, { 't.status': state });
    counts.push([state, await countUpTo(tx, CLI_LIMITS.lookTasks, `SELECT t.n FROM tasks t WHERE ${text}`, params)]);
  }
  return Object.fromEntries(counts) as Record<TaskState, number>;
};

/** Counts at most CLI_LIMITS.lookRows blocked tasks. Null if one assignee is asked for: no index leads to their blocked tasks. */
export const countBlocked = async (tx: ReadTx, filter: BoardFilter): Promise<number | null> => {
  if (filter.assignee !== undefined) return null;
  const { text, params } = whereOf(filter);
  const sql = `SELECT t.n FROM tasks t WHERE t.terminal = 0 AND t.open_deps > 0 AND ${text}`;
  return countUpTo(tx, CLI_LIMITS.lookRows, sql, params);
};

const LIVE = 'l.flagged = 1 AND l.until > ?';

/**
 * Counts at most CLI_LIMITS.lookRows leased tasks. Null if there are too many live leases to read the task of each.
 * CROSS JOIN makes SQLite begin with the leases and not with all tasks of the project.
 */
export const countLeases = async (tx: ReadTx, filter: BoardFilter, now: string): Promise<number | null> => {
  const all = await countUpTo(tx, CLI_LIMITS.lookRows, `SELECT l.task_n FROM leases l WHERE ${LIVE}`, [now]);
  if (filter.owner === undefined && filter.assignee === undefined) return all;
  if (all >= CLI_LIMITS.lookRows) return null;
  const { text, params } = whereOf(filter);
  const sql = `SELECT t.n FROM leases l CROSS JOIN tasks t WHERE ${LIVE} AND t.n = l.task_n AND ${text}`;
  return countUpTo(tx, CLI_LIMITS.lookRows, sql, [now, ...params]);
};

/** The first tasks of a state: open tasks in the order in which they are claimed, ended tasks newest first. */
export const firstInState = async (tx: ReadTx, filter: BoardFilter, state: TaskState, limit: number) => {
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

type RecordPlaceRow = { readonly log_id: string; readonly seq: number };

/** The places of the records that last changed a task and its lease. */
export const lastChanges = async (tx: ReadTx, n: number): Promise<RecordPlaceRow[]> => [
  ...(await tx.all<RecordPlaceRow>('SELECT log_id, seq FROM tasks WHERE n = ?', n)),
  ...(await tx.all<RecordPlaceRow>('SELECT log_id, seq FROM leases WHERE task_n = ?', n)),
];

export type TaskThought = RecordPlaceRow & {
  readonly thought_id: string;
  readonly type: string;
  readonly agent_id: string | null;
  readonly content: string | null;
};

/** The newest thoughts about a task. A subquery picks them first, so that no other thought's content is read. */
export const thoughtsOfTask = (tx: ReadTx, taskId: string, limit: number): Promise<TaskThought[]> =>
  tx.all<TaskThought>(
    `SELECT log_id, seq, thought_id, type, agent_id, content FROM thoughts
     WHERE thought_id IN (SELECT thought_id FROM thoughts WHERE task_id = ? ORDER BY timestamp DESC LIMIT ?)
     ORDER BY timestamp, place`,
    taskId,
    limit,
  );
