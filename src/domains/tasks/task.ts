// Tasks and leases as values: ids, the columns that a row's digest covers, the columns derived from them, and how a row is shown. Pure and
// cheap to load, because the threads that verify a store use the same rules.
import { ownerId } from '../../core/project-id.js';
import type { Task } from './fields.js';
import { isTerminal, stageOf, type TaskState } from './state-machine.js';

export type { Task };

/** The priorities of tasks, the most urgent first. The index of a priority is its rank in the queue. */
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const rankOf = (priority: Priority): number => PRIORITIES.indexOf(priority);

/** The id of a task: `T-` and the task's number with at least four digits. */
export const taskId = (n: number): string => `T-${String(n).padStart(4, '0')}`;

const TASK_ID = /^(?:[Tt]-)?0*([1-9]\d{0,14})$/;

/** The task number in `T-0042`, `t-42` or `42`; undefined if the text is not a task id. */
export const taskNumber = (text: string): number | undefined => {
  const digits = TASK_ID.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** The columns of a task that its digest covers. `project_id` is null if the project has only a name, or if there is no project. */
export type TaskValues = Omit<Task, 'task_id' | 'depends_on' | 'blocked_by' | 'lease'> & {
  readonly idempotency_key: string | null;
  readonly request_digest: string | null;
  /** The number of the call that created the task. */
  readonly call_no: number;
  /** The name of the client whose call created the task; null if the task is older than format 9, or the client has no name. */
  readonly creator: string | null;
};

/** The two columns that name a task's project. */
export type Whose = Pick<TaskValues, 'project' | 'project_id'>;

export type TaskRow = TaskValues & {
  readonly n: number;
  /**
   * The project that owns the task now: the project's id, or `=name` for a project without an id; null without a project.
   * ledger/projects.ts derives it.
   */
  readonly owner: string | null;
  /** 1 if the queue skips the task because of its lease, otherwise 0; derived. */
  readonly leased: number;
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
  'creator',
] as const satisfies readonly (keyof TaskValues)[];

/** Columns that older revisions of a task lack: in the digest only where they are not null. */
const LATER_VALUES: readonly string[] = ['project_id', 'creator'];

/** The task columns that a digest covers. */
export const digestedOf = (task: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    VALUE_COLUMNS.filter((column) => !LATER_VALUES.includes(column) || task[column] !== null).map((column) => [
      column,
      task[column],
    ]),
  );

export type Dependency = {
  readonly n: number;
  readonly status: TaskState;
  readonly version: number;
};

/** The ids of the dependencies that are not DONE. */
export const openIds = (dependencies: readonly Dependency[]): string[] =>
  dependencies.filter(({ status }) => status !== 'DONE').map(({ n }) => taskId(n));

export const cancelledIds = (dependencies: readonly Dependency[]): string[] =>
  dependencies.filter(({ status }) => status === 'CANCELLED').map(({ n }) => taskId(n));

/** A task as the task tools return it. `lease`: the task's live lease, if it has one. */
export const showTask = (row: TaskRow, dependencies: readonly Dependency[], lease: Task['lease']): Task => ({
  task_id: taskId(row.n),
  title: row.title,
  description: row.description,
  project: row.project,
  project_id: ownerId(row.owner),
  status: row.status,
  priority: row.priority,
  assignee: row.assignee,
  lease,
  depends_on: dependencies.map(({ n }) => taskId(n)),
  blocked_by: openIds(dependencies),
  attempt: row.attempt,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const searchText = ({ title, description }: TaskValues): string => `${title}\n${description ?? ''}`.toLowerCase();

/** The columns of a task that are computed from its other columns. */
export const DERIVED = ['open_deps', 'terminal', 'priority_rank', 'stage', 'search_text'];

export const derivedOf = (task: TaskValues, dependencies: readonly Dependency[]) => [
  openIds(dependencies).length,
  isTerminal(task.status) ? 1 : 0,
  rankOf(task.priority),
  stageOf(task.status),
  searchText(task),
];

// Leases.

export type Lease = {
  readonly task_n: number;
  readonly token: number;
  readonly holder: string;
  /** When the lease ends, or when it was given back. */
  readonly until: string;
  readonly minutes: number;
  /** 1 if the lease was given back, otherwise 0. */
  readonly released: number;
  readonly rev: number;
  /** The id of the Colibri process that the lease was granted to; null if it was granted before format 6. */
  readonly instance: string | null;
  /** The version of the task after the last call with the lease's token; null if there was none since format 6. */
  readonly task_version: number | null;
  /** Who held the task's lease before; null if nobody did. */
  readonly previous: string | null;
  /** 1 if the lease was given back with a note; null otherwise. */
  readonly noted: number | null;
  /** Who gave the task back before, with a note; null if the lease before ended otherwise. */
  readonly handed: string | null;
};

/** The columns of a lease that its digest covers, and those that leases have since format 6. */
const OLD_LEASE_VALUES = ['token', 'holder', 'until', 'minutes', 'released'] as const;
const NEW_LEASE_VALUES = ['instance', 'task_version', 'previous', 'noted', 'handed'] as const;
export const LEASE_VALUES = [...OLD_LEASE_VALUES, ...NEW_LEASE_VALUES] satisfies readonly (keyof Lease)[];

/** The lease columns that a digest covers. Older revisions lack the newer columns, so those are left out of the digest where they are null. */
export const digestedLease = (lease: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const present = NEW_LEASE_VALUES.filter((column) => lease[column] !== null);
  return Object.fromEntries([...OLD_LEASE_VALUES, ...present].map((column) => [column, lease[column]]));
};

/** Whether a lease was not given back and has not expired. Compares times as text: ISO 8601 UTC texts of equal length sort by time. */
export const isLive = (lease: Lease | undefined, now: string): lease is Lease =>
  lease !== undefined && lease.released === 0 && lease.until > now;

/** What everybody may see of a lease: never its token, which only a claim gives, and only to the holder. */
export const showLease = (lease: Lease | undefined, now: string): Task['lease'] =>
  isLive(lease, now) ? { holder: lease.holder, until: lease.until } : null;

/**
 * Whether a call with this token may work on the task: the lease is live, or it ran out, nobody took the task, and nobody changed the
 * task since the lease was last used.
 */
export const isOpenedBy = (lease: Lease | undefined, token: number, version: number, now: string): lease is Lease =>
  lease !== undefined &&
  lease.token === token &&
  lease.released === 0 &&
  (lease.until > now || lease.task_version === version);

export const minutesAfter = (now: string, minutes: number): string =>
  new Date(Date.parse(now) + minutes * 60_000).toISOString();

const TOKEN_STEP = 2 ** 32;
/** With this many steps a token is the largest integer that JSON and SQLite both hold exactly. */
const TOKEN_STEPS = 2 ** 21 - 1;

const stepOf = (token: number): number => Math.floor(token / TOKEN_STEP);

/**
 * The next lease token of a task: one step above the last one, plus 32 random bits. So tokens grow, and nobody can guess one. After
 * two million leases of one task only the random bits change.
 */
export const nextToken = (last: number | undefined, random32: number): number =>
  Math.min(stepOf(last ?? 0) + 1, TOKEN_STEPS) * TOKEN_STEP + random32;

const OLD_TOKENS_PER_TASK = 1_000_000;

/**
 * Whether a lease's token can be right. Each new token makes a revision of the lease, so no more tokens than revisions were given. Before
 * format 6, when leases named no process, the tokens of a task were consecutive numbers.
 */
export const isPossibleToken = ({ task_n, token, rev, instance }: Lease): boolean => {
  const first = task_n * OLD_TOKENS_PER_TASK + 1;
  if (!Number.isSafeInteger(token)) return false;
  if (instance === null) return token >= first && token < first + rev;
  return stepOf(token) >= 1 && stepOf(token) <= stepOf(first + rev) + rev;
};
