// `colibri tasks T-0042`: reads and prints one task with its history.

import { dependenciesOf, unblockedBy } from '../../domains/tasks/dependency-repository.js';
import { findLease } from '../../domains/tasks/lease-repository.js';
import { findTask } from '../../domains/tasks/repository.js';
import { isTerminal } from '../../domains/tasks/state-machine.js';
import { isLive, showLease, showTask, taskId } from '../../domains/tasks/task.js';
import { projectsNamed } from '../../ledger/projects.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import type { PlaceName } from '../log/line.js';
import { field, textLines } from '../screen/fields.js';
import { paint, plain } from '../screen/print.js';
import { type Cells, type Column, columnWidths, rowLine } from '../screen/table.js';
import { clock, stamp, until } from '../screen/time.js';
import { type HistoryEntry, historyOf, type TaskHistory } from './history.js';

export const readTask = async (tx: ReadTx, n: number, now: string) => {
  const row = await findTask(tx, n);
  if (row === undefined) return undefined;
  const dependencies = await dependenciesOf(tx, n);
  const lease = await findLease(tx, n);
  return {
    task: showTask(row, dependencies, showLease(lease, now)),
    /** True if another project of this store has the same name as the task's project. */
    is_namesake: row.project !== null && (await projectsNamed(tx, row.project)).length > 1,
    dependencies: dependencies.map(({ n: on, status }) => ({ task_id: taskId(on), status })),
    /** Ids of the open tasks that wait for no other task than this one. */
    unblocks: await unblockedBy(tx, n, CLI_LIMITS.dependentTasks),
    lease: lease === undefined ? null : { holder: lease.holder, until: lease.until, live: isLive(lease, now) },
    history: await historyOf(tx, row, lease),
  };
};

type OneTask = NonNullable<Awaited<ReturnType<typeof readTask>>>;

const leaseText = ({ lease, task }: OneTask, nowMs: number): string => {
  if (lease === null || isTerminal(task.status)) return 'none';
  return lease.live
    ? `${lease.holder}, ${until(lease.until, nowMs)} left (until ${stamp(lease.until)})`
    : `none; the last was ${lease.holder}'s`;
};

const dependencyText = ({ dependencies }: OneTask): string =>
  dependencies
    .map(({ task_id, status }) => `${task_id} ${status}${status === 'DONE' ? '' : ' (blocks it)'}`)
    .join(', ');

/** The columns time, change, agent and record of the task's history. */
const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: '', least: 20 },
  { title: '', least: 8 },
  { title: '', right: true },
];

const whoOf = ({ client, agent }: HistoryEntry): string =>
  agent === null || agent === client ? (client ?? '?') : `${agent} (${client ?? '?'})`;

const cellsOf = (entry: HistoryEntry, nowMs: number, placeName: PlaceName): Cells => [
  clock(entry.at, nowMs),
  plain(entry.what),
  plain(whoOf(entry)),
  plain(placeName(entry.log, entry.seq)),
];

const INDENT = 4;

const reasonLines = ({ thoughts }: HistoryEntry, width: number): string[] =>
  thoughts.flatMap(({ thought_id, type, content }) => {
    const lines = textLines(`${type} ${thought_id}: ${content ?? '(erased; its hash stays)'}`, width - INDENT);
    const shown = Number.isFinite(width) ? lines.slice(0, CLI_LIMITS.thoughtLines) : lines;
    const isCut = lines.length > shown.length;
    return shown.map((line, i) => `${' '.repeat(INDENT)}${line}${isCut && i === shown.length - 1 ? ' …' : ''}`);
  });

const historyLines = ({ entries, complete }: TaskHistory, nowMs: number, placeName: PlaceName, width: number) => {
  const cells = entries.map((entry) => cellsOf(entry, nowMs, placeName));
  const widths = columnWidths(COLUMNS, cells, width - 2);
  return [
    paint('bold', 'history'),
    ...entries.flatMap((entry, i) => [
      `  ${rowLine(COLUMNS, widths, cells[i] ?? [])}`,
      ...reasonLines(entry, width - 2).map((line) => paint('dim', line)),
    ]),
    ...(complete ? [] : [paint('yellow', '  There is more: some revisions are too far back to be found.')]),
  ];
};

const projectText = ({ task: { project, project_id }, is_namesake }: OneTask): string => {
  if (project === null) return 'no project';
  return is_namesake ? `project ${project} (${project_id ?? 'no id'})` : `project ${project}`;
};

export const taskLines = (one: OneTask, nowMs: number, placeName: PlaceName, width: number): string[] => {
  const { task, dependencies, unblocks, history } = one;
  const { priority, attempt, version, assignee, description } = task;
  const facts = [`priority ${priority}`, projectText(one), `attempt ${attempt}`];
  return [
    `${paint('bold', task.task_id)}  ${paint('bold', task.status)}`,
    ...field('title', task.title, width),
    ...field('is', `${facts.join(', ')}, version ${version}`, width),
    ...field('assignee', assignee ?? 'nobody', width),
    ...field('lease', leaseText(one, nowMs), width),
    ...(dependencies.length > 0 ? field('needs', dependencyText(one), width) : []),
    ...(unblocks.length > 0 ? field('unblocks', unblocks.join(', '), width) : []),
    ...field('created', stamp(task.created_at), width),
    ...field('changed', stamp(task.updated_at), width),
    ...(description === null ? [] : field('text', description, width)),
    ...historyLines(history, nowMs, placeName, width),
  ];
};
