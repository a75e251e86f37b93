// Tasks, what they wait for, and their leases.

import { taskId } from '../../domains/tasks/task.js';
import { DERIVED, type Dependency, derivedOf, type TaskValues, VALUE_COLUMNS } from '../../domains/tasks/task-row.js';
import { subjectOf } from '../../ledger/evidence.js';
import type { Reading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { dependenciesOf, isFlagged, isTask, numbering, type Row } from './evidence-repository.js';
import { namedBy, recordOf, say, shown, unlike } from './pointer.js';
import type { Walked } from './walk.js';

const only = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

/** Types are judged by the digest: JCS tells 5 from "5", and a blob from both. */
const number = (value: unknown): number => value as number;
const text = (value: unknown): string => value as string;

const derivedFindings = (tx: Reading, row: Row, dependencies: readonly Dependency[]): Finding[] => {
  const where = { table: 'tasks', id: taskId(number(row.n)) };
  const values = derivedOf(row as unknown as TaskValues, dependencies);
  return [
    ...DERIVED.flatMap((column, i) => unlike(where, column, row[column], values[i])),
    ...unlike(where, 'leased', row.leased, isFlagged(tx, number(row.n)) ? 1 : 0),
  ];
};

const checkTask = (tx: Reading, row: Row): Finding[] => {
  const id = taskId(number(row.n));
  const dependencies = dependenciesOf(tx, number(row.n)) as Dependency[];
  const columns = { ...only(row, VALUE_COLUMNS), depends_on: dependencies.map(({ n }) => taskId(n)) };
  const subject = subjectOf({ type: 'task', id, rev: number(row.version), salt: text(row.salt), columns });
  const findings = namedBy(recordOf(tx, row), subject, { table: 'tasks', id });
  // From a task that is not what it was nothing follows.
  return findings.length > 0 ? findings : derivedFindings(tx, row, dependencies);
};

/** A number never comes back: what AUTOINCREMENT remembers is the highest there is. */
const checkNumbering = (tx: Reading): Finding[] => {
  const { remembered, highest } = numbering(tx);
  const [only, ...others] = remembered;
  const where = { table: 'sqlite_sequence' };
  if (others.length > 0) return [say('derived', where, 'remembers more than one number')];
  if (only !== undefined && only.name !== 'tasks') return [say('derived', where, 'is not about tasks')];
  return unlike(where, 'seq', only?.seq ?? null, highest);
};

export const TASKS: Walked = {
  table: 'tasks',
  idOf: ({ n }) => taskId(number(n)),
  check: checkTask,
  once: checkNumbering,
};

/** Which ones a task waits for is in the task's digest; here only that there is something at both ends. */
const checkDependency = (tx: Reading, row: Row): Finding[] => {
  const where = { table: 'task_dependencies', id: `${shown(row.task_n)} ${shown(row.depends_on_n)}` };
  return [row.task_n, row.depends_on_n]
    .filter((n) => typeof n !== 'number' || !isTask(tx, n))
    .map((n) => say('row', where, `there is no task ${shown(n)}`));
};

export const DEPENDENCIES: Walked = {
  table: 'task_dependencies',
  idOf: (row) => `${shown(row.task_n)} ${shown(row.depends_on_n)}`,
  check: checkDependency,
};

const LEASE_COLUMNS = ['token', 'holder', 'until', 'minutes', 'released'];

/** Whoever claims takes off those that had run out by its clock; no other clock can say when that was. */
const flagsOf = ({ released }: Row): readonly number[] => (released === 1 ? [0] : [0, 1]);

const checkLease = (tx: Reading, row: Row): Finding[] => {
  const id = taskId(number(row.task_n));
  const where = { table: 'leases', id };
  const columns = only(row, LEASE_COLUMNS);
  const subject = subjectOf({ type: 'lease', id, rev: number(row.rev), salt: text(row.salt), columns });
  const findings = namedBy(recordOf(tx, row), subject, where);
  if (findings.length > 0 || flagsOf(row).includes(number(row.flagged))) return findings;
  return [say('derived', where, `flagged is ${shown(row.flagged)}`)];
};

export const LEASES: Walked = {
  table: 'leases',
  idOf: ({ task_n }) => taskId(number(task_n)),
  check: checkLease,
};
