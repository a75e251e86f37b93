// The SQL that reads and writes tasks and their dependencies. The rules for changes are in changes.ts.

import type { EvidenceWork } from '../../call/define-tool.js';
import { namedOwner } from '../../core/project-id.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import { currentOwner } from '../../ledger/projects.js';
import type { Subject } from '../../proof/records.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { countThoughts } from '../trail/repository.js';
import type { Facts } from './changes.js';
import type { ListedTask } from './fields.js';
import { findLease } from './lease-repository.js';
import { ENTRY_RULES } from './state-machine.js';
import {
  DERIVED,
  type Dependency,
  derivedOf,
  digestedOf,
  showTask,
  type Task,
  type TaskRow,
  type TaskValues,
  taskId,
  taskNumber,
  VALUE_COLUMNS,
  type Whose,
} from './task.js';
import type { Wish } from './update.js';

/** The project that owns a task with these project columns: the project's id, or `=name` without an id; null without a project. */
export const ownerOf = async (tx: ReadTx, { project, project_id }: Whose): Promise<string | null> => {
  const owner = project_id ?? (project === null ? null : namedOwner(project));
  return owner === null ? null : currentOwner(tx, owner);
};

export const ROW_COLUMNS = ['n', 'owner', ...VALUE_COLUMNS].join(', ');

export const findTask = (tx: ReadTx, n: number): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(`SELECT ${ROW_COLUMNS} FROM tasks WHERE n = ?`, n);

/** Finds the task that was created with an idempotency key. Each project has idempotency keys of its own. */
export const findByKey = (tx: ReadTx, key: string, owner: string | null): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(
    `SELECT ${ROW_COLUMNS} FROM tasks WHERE idempotency_key = ? AND owner IS ? ORDER BY n LIMIT 1`,
    key,
    owner,
  );

export const dependenciesOf = async (tx: ReadTx, n: number): Promise<Dependency[]> =>
  tx.all<Dependency>(
    `SELECT t.n, t.status, t.version FROM task_dependencies d JOIN tasks t ON t.n = d.depends_on_n WHERE d.task_n = ? ORDER BY d.depends_on_n`,
    n,
  );

export const showWhole = async (tx: ReadTx, row: TaskRow): Promise<Task> =>
  showTask(row, await dependenciesOf(tx, row.n));

/** The fields of a task that lists show. */
export const showListed = async (tx: ReadTx, row: TaskRow): Promise<ListedTask> => {
  const { description: _left, ...task } = await showWhole(tx, row);
  return task;
};

/**
 * A list for SQL's `IN`, padded with its last number to a power of two. Prepared statements are cached forever, so there must be few
 * different SQL texts.
 */
export const listOf = (numbers: readonly number[]): { readonly marks: string; readonly numbers: readonly number[] } => {
  const size = 2 ** Math.ceil(Math.log2(Math.max(numbers.length, 1)));
  const last = numbers.at(-1) ?? 0;
  return {
    marks: Array.from({ length: size }, () => '?').join(', '),
    numbers: Array.from({ length: size }, (_, i) => numbers[i] ?? last),
  };
};

const numbersOf = (dependencies: readonly Dependency[]): number[] => dependencies.map(({ n }) => n);

/** The numbers and states of those tasks in `wanted` that exist, sorted by number. */
const findStates = async (tx: ReadTx, wanted: readonly number[]): Promise<Dependency[]> => {
  if (wanted.length === 0) return [];
  const { marks, numbers } = listOf(wanted);
  return tx.all<Dependency>(`SELECT n, status, version FROM tasks WHERE n IN (${marks}) ORDER BY n`, ...numbers);
};

/** The numbers of the task itself and of every task that waits for it, directly or through others. */
export const waitingFor = async (tx: ReadTx, n: number): Promise<ReadonlySet<number>> => {
  const rows = await tx.all<{ n: number }>(
    `WITH RECURSIVE waiting (n) AS (
       SELECT n FROM tasks WHERE n = ?
       UNION SELECT d.task_n FROM task_dependencies d JOIN waiting w ON d.depends_on_n = w.n
     ) SELECT n FROM waiting`,
    n,
  );
  return new Set(rows.map((row) => row.n));
};

/** The shortest path of task numbers from one of `from` to `target` along dependencies; undefined if there is no path. */
const findPath = async (
  tx: ReadTx,
  from: readonly number[],
  target: number,
): Promise<readonly number[] | undefined> => {
  const cameFrom = new Map<number, number | undefined>(from.map((n) => [n, undefined]));
  const pathTo = (end: number): number[] => {
    const path: number[] = [];
    for (let at: number | undefined = end; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
    return path;
  };
  for (const n of cameFrom.keys()) {
    if (n === target) return pathTo(n);
    const next = await tx.all<{ n: number }>('SELECT depends_on_n AS n FROM task_dependencies WHERE task_n = ?', n);
    for (const row of next) if (!cameFrom.has(row.n)) cameFrom.set(row.n, n);
  }
  return undefined;
};

/** Tells which tasks in `depends_on` exist and which do not. The form of the ids was checked before. */
export const findDependencies = async (
  tx: ReadTx,
  ids: readonly string[],
): Promise<{ readonly found: readonly Dependency[]; readonly missing: readonly string[] }> => {
  const numbers = [...new Set(ids.map((id) => taskNumber(id) ?? 0))];
  const found = await findStates(tx, numbers);
  const known = new Set(found.map(({ n }) => n));
  return { found, missing: numbers.filter((n) => !known.has(n)).map(taskId) };
};

export const gatherFacts = async (tx: ReadTx, wish: Wish, now: string): Promise<Facts | undefined> => {
  const n = taskNumber(wish.task_id) ?? 0;
  const task = await findTask(tx, n);
  if (task === undefined) return undefined;
  const wanted = wish.depends_on === undefined ? undefined : await findDependencies(tx, wish.depends_on);
  const path = wanted && (await findPath(tx, numbersOf(wanted.found), n));
  const needsThought = wish.status !== undefined && ENTRY_RULES[wish.status] === 'a thought in this attempt';
  return {
    task,
    dependencies: await dependenciesOf(tx, n),
    wanted: wanted?.found,
    missing: wanted?.missing ?? [],
    cycle: path && [taskId(n), ...path.map(taskId)],
    lease: await findLease(tx, n),
    thoughts: needsThought ? await countThoughts(tx, taskId(n), task.attempt) : 0,
    now,
  };
};

/** The ids of at most `limit` open tasks that wait only for task `n`, so finishing that task frees them. */
export const unblockedBy = async (tx: ReadTx, n: number, limit: number): Promise<string[]> => {
  const rows = await tx.all<{ n: number }>(
    `SELECT t.n FROM task_dependencies d JOIN tasks t ON t.n = d.task_n
     WHERE d.depends_on_n = ? AND t.terminal = 0 AND t.open_deps = 1 ORDER BY d.task_n LIMIT ?`,
    n,
    limit,
  );
  return rows.map((row) => taskId(row.n));
};

const insertDependencies = async (tx: Tx, n: number, dependencies: readonly Dependency[]): Promise<void> => {
  for (const on of numbersOf(dependencies))
    await tx.run('INSERT INTO task_dependencies (task_n, depends_on_n) VALUES (?, ?)', n, on);
};

const WRITTEN = [...VALUE_COLUMNS, 'salt', 'log_id', 'seq'];
const STORED = [...WRITTEN, ...DERIVED, 'owner'];
const INSERT_TASK = `INSERT INTO tasks (${STORED.join(', ')}, leased)
  VALUES (${STORED.map(() => '?').join(', ')}, 0) RETURNING n`;
const UPDATE_TASK = `UPDATE tasks SET ${STORED.map((column) => `${column} = ?`).join(', ')} WHERE n = ?`;

/** The stored values of a task, in the order of STORED, and its owner. `dependencies` are all dependencies of the task. */
const storedOf = async ({ tx, evidence }: EvidenceWork, task: TaskValues, dependencies: readonly Dependency[]) => {
  const { log, seq } = await evidence.place();
  const salt = rowSalt();
  const owner = await ownerOf(tx, task);
  const values = VALUE_COLUMNS.map((column) => task[column]);
  return { salt, owner, params: [...values, salt, log, seq, ...derivedOf(task, dependencies), owner] };
};

const subjectOfTask = (row: TaskRow, salt: string, dependencies: readonly Dependency[]): Subject => {
  const depends_on = numbersOf(dependencies)
    .toSorted((a, b) => a - b)
    .map(taskId);
  const columns = { ...digestedOf(row), depends_on };
  return subjectOf({ type: 'task', id: taskId(row.n), rev: row.version, salt, columns });
};

type TaskWriter<T, R> = (work: EvidenceWork, task: T, dependencies: readonly Dependency[]) => Promise<R>;

export const insertTask: TaskWriter<TaskValues, TaskRow> = async (work, task, dependencies) => {
  const { salt, owner, params } = await storedOf(work, task, dependencies);
  const inserted = await work.tx.get<{ n: number }>(INSERT_TASK, ...params);
  if (inserted === undefined) throw new Error('the insert returned no number');
  const row = { n: inserted.n, owner, ...task };
  await insertDependencies(work.tx, row.n, dependencies);
  work.evidence.add(subjectOfTask(row, salt, dependencies));
  return row;
};

export const saveTask: TaskWriter<TaskRow, void> = async (work, task, dependencies) => {
  const { salt, params } = await storedOf(work, task, dependencies);
  await work.tx.run(UPDATE_TASK, ...params, task.n);
  work.evidence.add(subjectOfTask(task, salt, dependencies));
};

export const replaceDependencies = async (tx: Tx, n: number, dependencies: readonly Dependency[]): Promise<void> => {
  await tx.run('DELETE FROM task_dependencies WHERE task_n = ?', n);
  await insertDependencies(tx, n, dependencies);
};

/** After task `n` is DONE: lowers the count of open dependencies in each task that depends on it. The count is derived, so revisions stay. */
export const freeDependents = (tx: Tx, n: number): Promise<number> =>
  tx.run(
    'UPDATE tasks SET open_deps = open_deps - 1 WHERE n IN (SELECT task_n FROM task_dependencies WHERE depends_on_n = ?)',
    n,
  );
