// Checks the rows of tasks, their dependencies, their leases and their adoptions by another project.

import { namedOwner } from '../../core/project-id.js';
import {
  DERIVED,
  type Dependency,
  derivedOf,
  digestedLease,
  digestedOf,
  isPossibleToken,
  type Lease,
  type TaskValues,
  taskId,
} from '../../domains/tasks/task.js';
import { subjectOf } from '../../ledger/evidence.js';
import { LEDGER_LIMITS } from '../../ledger/limits.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import {
  adoptedBy,
  highestTaskNumber,
  isFlagged,
  isTaskRow,
  type StoredRow,
  storedDependencies,
} from './evidence-repository.js';
import { namedBy, type ReadRecord, recordOf, sayPointer, shown, unlike } from './pointer.js';
import { recordedMoves } from './transitions.js';
import type { Walked } from './walk.js';

const only = (row: StoredRow, columns: readonly string[]): StoredRow =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

/** Casts a stored value without a check: the digest shows a wrong type, because canonical JSON tells 5 from "5" and from a blob. */
const number = (value: unknown): number => value as number;
const text = (value: unknown): string => value as string;

/** The owner that a task must have: the id of its project, else the project's name, or the project that adopted that owner's tasks. */
const ownerOf = (tx: StoreReading, { project, project_id: id }: StoredRow): unknown => {
  let owner = id ?? (project === null ? null : namedOwner(text(project)));
  for (let steps = 0; typeof owner === 'string' && steps < LEDGER_LIMITS.adoptionSteps; steps += 1) {
    const by = adoptedBy(tx, owner);
    if (by === undefined) break;
    owner = by;
  }
  return owner;
};

const derivedFindings = (tx: StoreReading, row: StoredRow, dependencies: readonly Dependency[]): Finding[] => {
  const where = { table: 'tasks', id: taskId(number(row.n)) };
  const values = derivedOf(row as unknown as TaskValues, dependencies);
  return [
    ...DERIVED.flatMap((column, i) => unlike(where, column, row[column], values[i])),
    ...unlike(where, 'owner', row.owner, ownerOf(tx, row)),
    ...unlike(where, 'leased', row.leased, isFlagged(tx, number(row.n)) ? 1 : 0),
  ];
};

/** Reports a task that entered APPLY with its last revision, if the record names other tasks as DONE than those it depends on. */
const doneFindings = (record: ReadRecord, id: string, dependsOn: readonly string[]): Finding[] => {
  const entered = recordedMoves(record.body).filter((step) => isObject(step) && step.to === 'APPLY') as JsonObject[];
  const { done } = record.body;
  if (!entered.some(({ task_id }) => task_id === id) || !Array.isArray(done)) return [];
  const named = new Set<unknown>(done.map((one) => (isObject(one) ? one.task_id : undefined)));
  // A record in which several tasks enter APPLY names the dependencies of all of them.
  const isRight = dependsOn.every((on) => named.has(on)) && (entered.length > 1 || named.size === dependsOn.length);
  const { log, seq } = record;
  return isRight
    ? []
    : [sayPointer('row', { table: 'tasks', id, log, seq }, 'its record names others as DONE than it depends on')];
};

const checkTask = (tx: StoreReading, row: StoredRow): Finding[] => {
  const id = taskId(number(row.n));
  const dependencies = storedDependencies(tx, number(row.n)) as Dependency[];
  const columns = { ...digestedOf(row), depends_on: dependencies.map(({ n }) => taskId(n)) };
  const subject = subjectOf({ type: 'task', id, rev: number(row.version), salt: text(row.salt), columns });
  const record = recordOf(tx, row);
  const findings = [
    ...namedBy(record, subject, { table: 'tasks', id }),
    ...(record === undefined ? [] : doneFindings(record, id, columns.depends_on)),
    ...((row.idempotency_key === null) === (row.request_digest === null)
      ? []
      : [sayPointer('row', { table: 'tasks', id }, 'only one of idempotency_key and request_digest is there')]),
  ];
  // If the task's row contradicts its record, the columns that are computed from other data are not checked.
  return findings.length > 0 ? findings : derivedFindings(tx, row, dependencies);
};

/** Checks that the engine remembers the highest task number that it gave, because a number must never be used again. */
const checkNumbering = (tx: StoreReading): Finding[] => {
  const [only, ...others] = tx.engine.numbersGiven(tx);
  const where = { table: tx.engine.numbersTable };
  if (others.length > 0) return [sayPointer('derived', where, 'remembers more than one number')];
  if (only !== undefined && only.name !== 'tasks') return [sayPointer('derived', where, 'is not about tasks')];
  return unlike(where, 'seq', only?.seq ?? null, highestTaskNumber(tx));
};

export const TASKS: Walked = {
  table: 'tasks',
  idOf: ({ n }) => taskId(number(n)),
  check: checkTask,
  once: checkNumbering,
};

/** Checks that both tasks of a dependency exist. The digest of the task that depends covers everything else. */
const checkDependency = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'task_dependencies', id: `${shown(row.task_n)} ${shown(row.depends_on_n)}` };
  return [row.task_n, row.depends_on_n]
    .filter((n) => typeof n !== 'number' || !isTaskRow(tx, n))
    .map((n) => sayPointer('row', where, `there is no task ${shown(n)}`));
};

export const DEPENDENCIES: Walked = {
  table: 'task_dependencies',
  idOf: (row) => `${shown(row.task_n)} ${shown(row.depends_on_n)}`,
  check: checkDependency,
};

/**
 * The allowed values of the column `flagged` of a lease: 0 if the lease was released, else 0 or 1. Whether 0 or 1 is right then depends on
 * other records; see histories.ts.
 */
const flagsOf = ({ released }: StoredRow): readonly number[] => (released === 1 ? [0] : [0, 1]);

const checkLease = (tx: StoreReading, row: StoredRow): Finding[] => {
  const id = taskId(number(row.task_n));
  const where = { table: 'leases', id };
  const columns = digestedLease(row);
  const subject = subjectOf({ type: 'lease', id, rev: number(row.rev), salt: text(row.salt), columns });
  const findings = namedBy(recordOf(tx, row), subject, where);
  if (!isPossibleToken(row as unknown as Lease))
    findings.push(sayPointer('row', where, `token ${shown(row.token)} was never given`));
  if (findings.length > 0 || flagsOf(row).includes(number(row.flagged))) return findings;
  return [sayPointer('derived', where, `flagged is ${shown(row.flagged)}`)];
};

export const LEASES: Walked = {
  table: 'leases',
  idOf: ({ task_n }) => taskId(number(task_n)),
  check: checkLease,
};

/** Checks an adoption of tasks: its record must be the boot record of the project that took the tasks over. */
const checkAdoption = (tx: StoreReading, row: StoredRow): Finding[] => {
  const [id, where] = [text(row.owner), { table: 'adoptions', id: shown(row.owner) }];
  const subject = subjectOf({ type: 'adoption', id, rev: 1, salt: text(row.salt), columns: only(row, ['project_id']) });
  const record = recordOf(tx, row);
  const isOwn = record === undefined || (record.body.kind === 'boot' && record.body.project_id === row.project_id);
  return [
    ...namedBy(record, subject, where),
    ...(isOwn ? [] : [sayPointer('row', where, 'its record is not from the project that took it over')]),
  ];
};

export const ADOPTIONS: Walked = { table: 'adoptions', idOf: ({ owner }) => owner, check: checkAdoption };
