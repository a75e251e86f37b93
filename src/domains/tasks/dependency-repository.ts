// The SQL that reads dependencies between tasks: what a task waits for, and what waits for it.
import { FOR_UPDATE } from '../../store/dialect.js';
import type { ReadTx } from '../../store/store.js';
import { type Dependency, taskId, taskNumber } from './task.js';

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

export const numbersOf = (dependencies: readonly Dependency[]): number[] => dependencies.map(({ n }) => n);

export const dependenciesOf = async (tx: ReadTx, n: number): Promise<Dependency[]> =>
  tx.all<Dependency>(
    `SELECT t.n, t.status, t.version FROM task_dependencies d JOIN tasks t ON t.n = d.depends_on_n WHERE d.task_n = ? ORDER BY d.depends_on_n`,
    n,
  );

/** The numbers and states of those tasks in `wanted` that exist, sorted by number. */
const findStates = async (tx: ReadTx, wanted: readonly number[]): Promise<Dependency[]> => {
  if (wanted.length === 0) return [];
  const { marks, numbers } = listOf(wanted);
  return tx.all<Dependency>(
    `SELECT n, status, version FROM tasks WHERE n IN (${marks}) ORDER BY n ${FOR_UPDATE}`,
    ...numbers,
  );
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
export const findPath = async (
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

/** The ids of at most `limit` open tasks that wait only for task `n`, so finishing that task frees them. */
export const unblockedBy = async (tx: ReadTx, n: number, limit: number): Promise<string[]> => {
  const rows = await tx.all<{ n: number }>(
    `SELECT t.n FROM task_dependencies d JOIN tasks t ON t.n = d.task_n
     WHERE d.depends_on_n = ? AND t.terminal = 0 AND t.open_deps = 1 ORDER BY d.task_n LIMIT ?`,
    n,
    limit,
  );
  return idsOf(rows);
};

const idsOf = (rows: readonly { readonly n: number }[]): string[] => rows.map(({ n }) => taskId(n));

/** The ids of at most `limit` open tasks that waited for task `n`, which is DONE now, and wait for nothing else. */
export const unblockedNow = async (tx: ReadTx, n: number, limit: number): Promise<string[]> =>
  idsOf(
    await tx.all<{ n: number }>(
      `SELECT t.n FROM task_dependencies d JOIN tasks t ON t.n = d.task_n
       WHERE d.depends_on_n = ? AND t.terminal = 0 AND t.open_deps = 0 ORDER BY d.task_n LIMIT ?`,
      n,
      limit,
    ),
  );

/** The ids of at most `limit` open tasks that depend on task `n`. */
export const waitingTasks = async (tx: ReadTx, n: number, limit: number): Promise<string[]> =>
  idsOf(
    await tx.all<{ n: number }>(
      `SELECT t.n FROM task_dependencies d JOIN tasks t ON t.n = d.task_n
       WHERE d.depends_on_n = ? AND t.terminal = 0 ORDER BY d.task_n LIMIT ?`,
      n,
      limit,
    ),
  );
