// The SQL that reads and writes tasks and their dependencies. The rules for changes are in changes.ts.

import type { EvidenceWork } from '../../call/define-tool.js';
import { namedOwner } from '../../core/project-id.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import { currentOwner } from '../../ledger/projects.js';
import type { Subject } from '../../proof/records.js';
import { FOR_UPDATE } from '../../store/dialect.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { countThoughts } from '../trail/repository.js';
import { type Facts, stepsOf } from './changes.js';
import { dependenciesOf, findDependencies, findPath, numbersOf } from './dependency-repository.js';
import type { ListedTask } from './fields.js';
import { findLease } from './lease-repository.js';
import { ENTRY_RULES } from './state-machine.js';
import {
  DERIVED,
  type Dependency,
  derivedOf,
  digestedOf,
  showLease,
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

export const ROW_COLUMNS = ['n', 'owner', 'leased', ...VALUE_COLUMNS].join(', ');

/** A transaction that writes also keeps others from changing the task and its lease until it ends. */
export const findTask = (tx: ReadTx, n: number): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(`SELECT ${ROW_COLUMNS} FROM tasks WHERE n = ? ${FOR_UPDATE}`, n);

/** Finds the task that was created with an idempotency key. Each project has idempotency keys of its own. */
export const findByKey = (tx: ReadTx, key: string, owner: string | null): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(
    `SELECT ${ROW_COLUMNS} FROM tasks WHERE idempotency_key = ? AND owner IS NOT DISTINCT FROM ? ORDER BY n LIMIT 1`,
    key,
    owner,
  );

/** At most `limit` tasks of the call that created task `first`, in the order of their numbers. Others may have created tasks between them. */
export const tasksOfCall = (tx: ReadTx, first: TaskRow, limit: number): Promise<TaskRow[]> =>
  tx.all<TaskRow>(
    `SELECT ${ROW_COLUMNS} FROM tasks WHERE n >= ? AND call_no = ? AND created_at = ? ORDER BY n LIMIT ?`,
    ...[first.n, first.call_no, first.created_at, limit],
  );

/** At most `limit` tasks after the number `after` whose assignee is the holder of their last lease, in the order of their numbers. */
export const claimedRows = (tx: ReadTx, after: number, limit: number): Promise<TaskRow[]> => {
  const columns = ROW_COLUMNS.split(', ').map((column) => `t.${column}`);
  return tx.all<TaskRow>(
    `SELECT ${columns.join(', ')} FROM leases l JOIN tasks t ON t.n = l.task_n
     WHERE l.task_n > ? AND t.assignee = l.holder ORDER BY l.task_n LIMIT ?`,
    after,
    limit,
  );
};

export const showWhole = async (tx: ReadTx, row: TaskRow, now: string): Promise<Task> => {
  const lease = row.leased === 1 ? await findLease(tx, row.n) : undefined;
  return showTask(row, await dependenciesOf(tx, row.n), showLease(lease, now));
};

/** The fields of a task that lists show. */
export const showListed = async (tx: ReadTx, row: TaskRow, now: string): Promise<ListedTask> => {
  const { description: _left, ...task } = await showWhole(tx, row, now);
  return task;
};

/** Two changes that would make two tasks wait for each other must not both look first and write then. */
const lockDependencies = async (tx: ReadTx & Pick<Tx, 'lock'>): Promise<void> => tx.lock?.('dependencies');

export const gatherFacts = async (tx: ReadTx, wish: Wish, now: string): Promise<Facts | undefined> => {
  const n = taskNumber(wish.task_id) ?? 0;
  const task = await findTask(tx, n);
  if (task === undefined) return undefined;
  if (wish.depends_on !== undefined) await lockDependencies(tx);
  const wanted = wish.depends_on === undefined ? undefined : await findDependencies(tx, wish.depends_on);
  const path = wanted && (await findPath(tx, numbersOf(wanted.found), n));
  const needsThought = stepsOf(wish, task.status).some(
    ({ status }) => status !== task.status && ENTRY_RULES[status] === 'a thought in this attempt',
  );
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

/** A task to insert. Dependencies on tasks of the same call are given by their place in the list, because they have no number yet. */
export interface NewTask {
  readonly values: TaskValues;
  readonly dependencies: readonly Dependency[];
  readonly onNew: readonly number[];
}

/**
 * Inserts tasks, in order. All rows are inserted before the first dependency, because a task may depend on one that follows it. A task of
 * the same call is in INIT, so it counts as open.
 */
export const insertTasks = async (work: EvidenceWork, tasks: readonly NewTask[]): Promise<TaskRow[]> => {
  const inserted: { readonly row: TaskRow; readonly salt: string }[] = [];
  for (const { values, dependencies, onNew } of tasks) {
    const fresh = onNew.map((n): Dependency => ({ n, status: 'INIT', version: 1 }));
    const { salt, owner, params } = await storedOf(work, values, [...dependencies, ...fresh]);
    const made = await work.tx.get<{ n: number }>(INSERT_TASK, ...params);
    if (made === undefined) throw new Error('the insert returned no number');
    inserted.push({ row: { n: made.n, owner, leased: 0, ...values }, salt });
  }
  for (const [i, { row, salt }] of inserted.entries()) {
    const { dependencies = [], onNew = [] } = tasks[i] ?? {};
    const fresh = onNew.map((at): Dependency => ({ n: inserted[at]?.row.n ?? 0, status: 'INIT', version: 1 }));
    await insertDependencies(work.tx, row.n, [...dependencies, ...fresh]);
    work.evidence.add(subjectOfTask(row, salt, [...dependencies, ...fresh]));
  }
  return inserted.map(({ row }) => row);
};

export const saveTask = async (
  work: EvidenceWork,
  task: TaskRow,
  dependencies: readonly Dependency[],
): Promise<void> => {
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
