// `colibri tasks`: reads the tasks and prints them by state.
import { figure, sumUpTo, upTo } from '../../core/figures.js';
import { ownerId } from '../../core/project-id.js';
import { showListed } from '../../domains/tasks/repository.js';
import { isTerminal, TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';
import type { TaskScope } from '../../domains/tasks/whose.js';
import { projectsNamed } from '../../ledger/projects.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { type Colour, paint, plain } from '../screen/print.js';
import { type Cells, type Column, columnWidths, rowLine } from '../screen/table.js';
import { until } from '../screen/time.js';
import { wrapped } from '../screen/width.js';
import { type BoardFilter, countBlocked, countByState, countLeases, firstInState } from './repository.js';

interface BoardQuestion {
  readonly scope: TaskScope;
  readonly assignee: string | undefined;
  readonly states: readonly TaskState[];
  /** The most tasks of a state that are read. */
  readonly most: (state: TaskState) => number;
  readonly now: string;
}

type BoardTask = Awaited<ReturnType<typeof showListed>>;

export const readTaskBoard = async (tx: ReadTx, { scope, assignee, states, most, now }: BoardQuestion) => {
  const filter: BoardFilter = { owner: scope.owner, assignee };
  const tasks: BoardTask[] = [];
  for (const state of states) {
    for (const row of await firstInState(tx, filter, state, most(state))) tasks.push(await showListed(tx, row, now));
  }
  return {
    project: scope.project ?? null,
    project_id: ownerId(scope.owner ?? null),
    /** True if another project of this store has the same name as the shown one. */
    is_namesake: scope.project !== undefined && (await projectsNamed(tx, scope.project)).length > 1,
    assignee: assignee ?? null,
    counts: await countByState(tx, filter),
    leased: await countLeases(tx, filter, now),
    blocked: await countBlocked(tx, filter),
    tasks,
  };
};

type TaskBoard = Awaited<ReturnType<typeof readTaskBoard>>;

const STATE_COLOURS: Readonly<Partial<Record<TaskState, Colour>>> = {
  DONE: 'green',
  CANCELLED: 'dim',
  VERIFY: 'yellow',
};

/** The columns task, priority, title, assignee and lease or blockers; they need no header line. */
const COLUMNS: readonly Column[] = [
  { title: '', colour: () => 'bold' },
  { title: '', colour: (priority) => (priority === 'urgent' ? 'red' : undefined) },
  { title: '', least: 20 },
  { title: '', least: 8 },
  { title: '', least: 12, colour: (text) => (text.startsWith('waits') ? 'yellow' : undefined) },
];

/** Says who holds the lease, or what the task waits for; empty for an ended task. */
const standing = ({ status, lease, blocked_by }: BoardTask, nowMs: number): string => {
  if (isTerminal(status)) return '';
  if (lease !== null) return `leased, ${until(lease.until, nowMs)} left`;
  return blocked_by.length === 0 ? '' : `waits for ${blocked_by.join(', ')}`;
};

const cellsOf = (task: BoardTask, nowMs: number): Cells => [
  task.task_id,
  task.priority,
  plain(task.title),
  plain(task.lease?.holder ?? task.assignee ?? ''),
  standing(task, nowMs),
];

const INDENT = 2;
const MOST = CLI_LIMITS.lookTasks;

const summary = ({ counts, leased, blocked }: TaskBoard): string => {
  const open = TASK_STATES.filter((state) => !isTerminal(state)).map((state) => counts[state]);
  return [
    `${sumUpTo(open, MOST)} open`,
    ...(blocked === null ? [] : [`${upTo(blocked, CLI_LIMITS.lookRows)} blocked`]),
    ...(leased === null ? [] : [`${upTo(leased, CLI_LIMITS.lookRows)} leased`]),
    `${upTo(counts.DONE, MOST)} done`,
    `${upTo(counts.CANCELLED, MOST)} cancelled`,
  ].join(', ');
};

export const scopeText = ({ project, project_id, is_namesake, assignee }: TaskBoard): string => {
  const id = is_namesake ? ` (${project_id ?? 'no id'})` : '';
  const where = project === null ? 'all projects' : `project ${plain(project)}${id}`;
  return assignee === null ? where : `${where}, assigned to ${plain(assignee)}`;
};

export const boardLines = (board: TaskBoard, states: readonly TaskState[], nowMs: number, width: number): string[] => {
  const cells = new Map(board.tasks.map((task) => [task.task_id, cellsOf(task, nowMs)]));
  const widths = columnWidths(COLUMNS, [...cells.values()], width - INDENT);
  const section = (state: TaskState): string[] => {
    const tasks = board.tasks.filter(({ status }) => status === state);
    const count = board.counts[state];
    const more = count - tasks.length;
    if (tasks.length === 0) return [];
    return [
      `${paint(STATE_COLOURS[state] ?? 'bold', state)} ${upTo(count, MOST)}`,
      ...tasks.map(({ task_id }) => `  ${rowLine(COLUMNS, widths, cells.get(task_id) ?? [])}`),
      ...(more > 0
        ? [paint('dim', `  … ${figure(more)}${count >= MOST ? '+' : ''} more: colibri tasks --state ${state}`)]
        : []),
    ];
  };
  return [...wrapped(`${scopeText(board)}: ${summary(board)}`, width), ...states.flatMap(section)];
};
