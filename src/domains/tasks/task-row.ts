// A task as its table keeps it: the columns that are digested, those that follow from them, and how a row is shown.
// Pure: the repository writes by it, verification judges by it.
import { ownerId } from '../../core/project-id.js';
import { isTerminal, stageOf, type TaskState } from './state-machine.js';
import { type Priority, rankOf, type Task, taskId } from './task.js';

/** The columns that belong to the task itself, as they are digested. A type, not an interface: a row has only these. */
export type TaskValues = {
  readonly title: string;
  readonly description: string | null;
  readonly project: string | null;
  /** Null: there is only a name, or no project. */
  readonly project_id: string | null;
  readonly status: TaskState;
  readonly priority: Priority;
  readonly assignee: string | null;
  readonly attempt: number;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly idempotency_key: string | null;
  readonly request_digest: string | null;
  /** The number of the call that created it. */
  readonly call_no: number;
};

export type TaskRow = TaskValues & {
  readonly n: number;
  /** Derived: whose it is now (ledger/projects.ts). */
  readonly owner: string | null;
};

export const VALUE_COLUMNS = [
  'title',
  'description',
  'project',
  'project_id',
  'status',
  'priority',
  'assignee',
  'attempt',
  'version',
  'created_at',
  'updated_at',
  'idempotency_key',
  'request_digest',
  'call_no',
] as const satisfies readonly (keyof TaskValues)[];

/** What a digest covers. Revisions from before projects had ids have none, and their digests name none. */
export const digestedOf = (task: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    VALUE_COLUMNS.filter((column) => column !== 'project_id' || task[column] !== null).map((column) => [
      column,
      task[column],
    ]),
  );

export type Dependency = {
  readonly n: number;
  readonly status: TaskState;
};

/** As callers see it. `blocked_by` are the dependencies that are not DONE. */
export const showTask = (row: TaskRow, dependencies: readonly Dependency[]): Task => ({
  task_id: taskId(row.n),
  title: row.title,
  description: row.description,
  project: row.project,
  project_id: ownerId(row.owner),
  status: row.status,
  priority: row.priority,
  assignee: row.assignee,
  depends_on: dependencies.map(({ n }) => taskId(n)),
  blocked_by: dependencies.filter(({ status }) => status !== 'DONE').map(({ n }) => taskId(n)),
  attempt: row.attempt,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const searchText = ({ title, description }: TaskValues): string => `${title}\n${description ?? ''}`.toLowerCase();

const openCount = (dependencies: readonly Dependency[]): number =>
  dependencies.filter(({ status }) => status !== 'DONE').length;

/** Columns that follow from the others. */
export const DERIVED = ['open_deps', 'terminal', 'priority_rank', 'stage', 'search_text'];

export const derivedOf = (task: TaskValues, dependencies: readonly Dependency[]) => [
  openCount(dependencies),
  isTerminal(task.status) ? 1 : 0,
  rankOf(task.priority),
  stageOf(task.status),
  searchText(task),
];
