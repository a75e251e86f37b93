// The SQL of task_list and of the task queue. Every query pages along an index by key; none scans a table.
import type { ReadTx, SqlValue } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NextCall, nextCall } from '../refusal.js';
import { dependenciesOf, listOf } from './dependency-repository.js';
import { ROW_COLUMNS } from './repository.js';
import { TASK_STATES, type TaskState } from './state-machine.js';
import { cancelledIds, PRIORITIES, type Priority, rankOf, type TaskRow, taskId } from './task.js';

export interface ListFilter {
  readonly statuses: readonly TaskState[];
  readonly priority: Priority | undefined;
  /** The project whose tasks are listed: its id, or `=name` without an id; undefined for all projects. */
  readonly owner: string | undefined;
  readonly assignee: string | undefined;
}

export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

export const equalities = (values: Readonly<Record<string, SqlValue | undefined>>): Sql => {
  const given = Object.entries(values).filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
  return { text: given.map(([column]) => `${column} = ? AND `).join(''), params: given.map(([, value]) => value) };
};

/** The SQL for a filter: one query per status and priority, each along an index in the order of n, then merged. So no filter scans the table. */
const walks = (filter: ListFilter, after: number, limit: number): Sql => {
  const fixed = equalities({ owner: filter.owner, assignee: filter.assignee });
  const priorities = filter.priority === undefined ? PRIORITIES : [filter.priority];
  const pairs = filter.statuses.flatMap((status) => priorities.map((priority) => [status, rankOf(priority)] as const));
  const one = `SELECT n FROM (SELECT n FROM tasks WHERE ${fixed.text}status = ? AND priority_rank = ? AND n > ? ORDER BY n LIMIT ?) AS walk`;
  return {
    text: `${pairs.map(() => one).join(' UNION ALL ')} ORDER BY n LIMIT ?`,
    params: [...pairs.flatMap((pair) => [...fixed.params, ...pair, after, limit]), limit],
  };
};

export const rowsByNumber = async (tx: ReadTx, wanted: readonly number[]): Promise<TaskRow[]> => {
  const { marks, numbers } = listOf(wanted);
  return tx.all<TaskRow>(`SELECT ${ROW_COLUMNS} FROM tasks WHERE n IN (${marks}) ORDER BY n`, ...numbers);
};

/** The numbers of at most `limit` tasks after the number `after`, oldest first. */
export const listNumbers = async (tx: ReadTx, filter: ListFilter, after: number, limit: number): Promise<number[]> => {
  const { text, params } = isUnfiltered(filter)
    ? { text: 'SELECT n FROM tasks WHERE n > ? ORDER BY n LIMIT ?', params: [after, limit] }
    : walks(filter, after, limit);
  return (await tx.all<{ n: number }>(text, ...params)).map(({ n }) => n);
};

const isUnfiltered = ({ statuses, priority, owner, assignee }: ListFilter): boolean =>
  statuses.length === TASK_STATES.length && priority === undefined && owner === undefined && assignee === undefined;

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The numbers of those tasks in `among` whose title or description contains the text, ignoring case. */
export const matching = async (tx: ReadTx, among: readonly number[], search: string): Promise<number[]> => {
  const { marks, numbers } = listOf(among);
  const hits = await tx.all<{ n: number }>(
    `SELECT n FROM tasks WHERE n IN (${marks}) AND search_text LIKE ? ESCAPE '\\' ORDER BY n`,
    ...numbers,
    `%${escapeLike(search.toLowerCase())}%`,
  );
  return hits.map(({ n }) => n);
};

export interface QueueFilter {
  readonly owner: string | undefined;
  readonly assignee: string | undefined;
}

/**
 * The column `leased` finds free tasks through an index. The end of the lease is compared too, because `leased` is a derived column and
 * anybody may have edited it.
 */
export const readyOf = (tasks: string): string => `terminal = 0 AND open_deps = 0 AND leased = 0 AND
  NOT EXISTS (SELECT 1 FROM leases WHERE task_n = ${tasks}.n AND released = 0 AND until > ?)`;
export const READY = readyOf('tasks');
export const ORDER = 'priority_rank, stage, n';

/** The tasks that can be worked on now: the most urgent first, then the closest to DONE, then the oldest. */
export const readyTasks = (tx: ReadTx, filter: QueueFilter, now: string, limit: number): Promise<TaskRow[]> => {
  const { text, params } = equalities({ owner: filter.owner, assignee: filter.assignee });
  return tx.all<TaskRow>(
    `SELECT ${ROW_COLUMNS} FROM tasks WHERE ${text}${READY} ORDER BY ${ORDER} LIMIT ?`,
    ...params,
    now,
    limit,
  );
};

export const rowColumns = (table: string): string =>
  ROW_COLUMNS.split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');

/** Tasks that would be ready, but are still flagged as leased. */
export const FLAGGED = 't.terminal = 0 AND t.open_deps = 0 AND t.leased = 1 AND l.flagged = 1';
export const JOINED_ORDER = 't.priority_rank, t.stage, t.n';

/**
 * The tasks that would be ready, but are still flagged as leased although the lease has expired. CROSS JOIN makes SQLite begin with the
 * expired leases, of which every claim clears many.
 */
export const expiredTasks = (tx: ReadTx, filter: QueueFilter, now: string, limit: number): Promise<TaskRow[]> => {
  const { text, params } = equalities({ 't.owner': filter.owner, 't.assignee': filter.assignee });
  return tx.all<TaskRow>(
    `SELECT ${rowColumns('t')} FROM leases l CROSS JOIN tasks t
     WHERE t.n = l.task_n AND ${text}${FLAGGED} AND l.until <= ? ORDER BY ${JOINED_ORDER} LIMIT ?`,
    ...params,
    now,
    limit,
  );
};

/** The tasks of one project or of all that `holder` has a live lease on, in queue order. Of very many, those whose leases end last. */
export const heldTasks = (
  tx: ReadTx,
  { holder, owner }: { readonly holder: string; readonly owner: string | undefined },
  now: string,
  limit: number,
): Promise<TaskRow[]> => {
  const { text, params } = equalities({ 't.owner': owner });
  return tx.all<TaskRow>(
    `SELECT ${ROW_COLUMNS} FROM (
       SELECT ${rowColumns('t')}, t.priority_rank, t.stage FROM leases l CROSS JOIN tasks t
       WHERE l.holder = ? AND l.until > ? AND l.released = 0 AND t.n = l.task_n AND ${text}t.terminal = 0
       ORDER BY l.until DESC LIMIT ?) AS held
     ORDER BY ${ORDER} LIMIT ?`,
    ...[holder, now, ...params, DOMAIN_LIMITS.heldLeases],
    limit,
  );
};

export interface BlockedTask {
  readonly task_id: string;
  readonly waits_for: readonly string[];
  /** Those it waits for in vain, because they are CANCELLED. */
  readonly cancelled?: readonly string[];
  /** The call that drops them and keeps the other dependencies; absent while somebody holds the task, whose token it would need. */
  readonly next?: NextCall;
}

/** What a blocked task waits for in vain, and the call that helps. */
const inVain = async (tx: ReadTx, n: number): Promise<Pick<BlockedTask, 'cancelled' | 'next'>> => {
  const dependencies = await dependenciesOf(tx, n);
  const cancelled = cancelledIds(dependencies);
  if (cancelled.length === 0) return {};
  const row = await tx.get<{ leased: number }>('SELECT leased FROM tasks WHERE n = ?', n);
  const depends_on = dependencies.map((on) => taskId(on.n)).filter((id) => !cancelled.includes(id));
  return {
    cancelled: cancelled.slice(0, DOMAIN_LIMITS.shownTasks),
    ...(row?.leased === 0 && { next: nextCall('task_update', { task_id: taskId(n), depends_on }) }),
  };
};

export const blockedTasks = async (tx: ReadTx, owner: string | undefined, limit: number): Promise<BlockedTask[]> => {
  const { text, params } = equalities({ owner });
  const rows = await tx.all<{ n: number }>(
    `SELECT n FROM tasks WHERE ${text}terminal = 0 AND open_deps > 0 ORDER BY n LIMIT ?`,
    ...params,
    limit,
  );
  const blocked: BlockedTask[] = [];
  for (const { n } of rows) {
    const open = await tx.all<{ n: number }>(
      `SELECT d.depends_on_n AS n FROM task_dependencies d JOIN tasks t ON t.n = d.depends_on_n
       WHERE d.task_n = ? AND t.status <> 'DONE' ORDER BY d.depends_on_n LIMIT ?`,
      n,
      DOMAIN_LIMITS.shownTasks,
    );
    blocked.push({ task_id: taskId(n), waits_for: open.map((row) => taskId(row.n)), ...(await inVain(tx, n)) });
  }
  return blocked;
};

/** When the first live lease ends among the tasks that could be worked on if they were not leased. */
export const firstLeaseEnd = async (tx: ReadTx, filter: QueueFilter, now: string): Promise<string | undefined> => {
  const { text, params } = equalities({ 't.owner': filter.owner, 't.assignee': filter.assignee });
  const row = await tx.get<{ until: string }>(
    `SELECT l.until FROM leases l CROSS JOIN tasks t
     WHERE l.flagged = 1 AND l.until > ? AND t.n = l.task_n AND ${text}t.terminal = 0 AND t.open_deps = 0
     ORDER BY l.until LIMIT 1`,
    now,
    ...params,
  );
  return row?.until;
};
