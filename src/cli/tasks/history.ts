// The history of one task, from the records of calls that changed it. An index leads to its thoughts and its first and last record;
// revisions without a thought are searched among the records of the task's lifetime until all are found.
import { isTerminal, type TaskState } from '../../domains/tasks/state-machine.js';
import { type Lease, type TaskRow, taskId } from '../../domains/tasks/task.js';
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { type CallView, callView, textOf } from '../records/call-view.js';
import { hasMember, isKind, type LogRow, outcomeOf, payloadAt, recordById } from '../records/log-repository.js';
import { walkBack } from '../records/log-walk.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import { lastChanges, type TaskThought, thoughtsOfTask } from './repository.js';

const NOBODY: ReadonlySet<string> = new Set();

/** Tracks which revisions of a task and its lease have been found in records. */
const revisionsOf = (task: TaskRow, lease: Lease | undefined) => {
  const wanted: Readonly<Record<string, number>> = { task: task.version, lease: lease?.rev ?? 0 };
  const found = new Set<string>();
  return {
    /** Remembers the revisions that a call made; returns true if one of them was not known yet. */
    take: ({ subjects }: CallView): boolean => {
      const before = found.size;
      for (const { type, id, rev } of subjects) {
        if (id === taskId(task.n) && rev >= 1 && rev <= (wanted[type] ?? 0)) found.add(`${type} ${rev}`);
      }
      return found.size > before;
    },
    areFound: (): boolean => found.size >= task.version + (lease?.rev ?? 0),
  };
};

interface Known {
  readonly task: TaskRow;
  readonly thoughts: readonly TaskThought[];
}

/** Finds the record that created the task. The task's row keeps the record's number but not its log, so every log is tried. */
const creation = async (tx: ReadTx, logs: readonly LogInfo[], { n, call_no }: TaskRow): Promise<LogRow[]> => {
  const found: LogRow[] = [];
  for (const { log_id } of logs) {
    const row = await outcomeOf(tx, log_id, call_no);
    if (row === undefined) continue;
    const { subjects } = callView(row, NOBODY);
    if (subjects.some(({ type, id, rev }) => type === 'task' && id === taskId(n) && rev === 1)) found.push(row);
  }
  return found;
};

const knownRecords = async (tx: ReadTx, { task, thoughts }: Known): Promise<LogRow[]> => {
  const logs = await allLogs(tx);
  const bases = new Map(logs.map(({ log_id, base }) => [log_id, base]));
  const rows = await creation(tx, logs, task);
  for (const { log_id, seq } of [...(await lastChanges(tx, task.n)), ...thoughts]) {
    const row = await recordById(tx, (bases.get(log_id) ?? 0) + seq);
    if (row !== undefined) rows.push(row);
  }
  return rows;
};

/** Searches the records for revisions of the task with which no thought (an entry of the decision trail) was recorded. */
const missingRecords = async (
  tx: ReadTx,
  task: TaskRow,
  revisions: ReturnType<typeof revisionsOf>,
): Promise<readonly LogRow[]> => {
  if (revisions.areFound()) return [];
  const { rows } = await walkBack(tx, {
    conditions: [isKind(['call.exit', 'unassign']), hasMember('id', taskId(task.n))],
    matches: async (_, row) => revisions.take(callView(row, NOBODY)),
    since: task.created_at,
    limit: CLI_LIMITS.taskHistory,
    most: CLI_LIMITS.lookRecords,
    enough: revisions.areFound,
  });
  return rows;
};

const FIELDS = ['priority', 'assignee', 'project', 'depends_on'] as const;

const fieldWords = (args: JsonObject): string[] =>
  FIELDS.filter((name) => args[name] !== undefined).map((name) => {
    const value = args[name];
    const text = Array.isArray(value) ? value.join(', ') || 'none' : value === null ? 'none' : String(value);
    return `${name.replace('_', ' ')} ${text}`;
  });

const leaseWords = ({ tool, changes }: CallView, args: JsonObject): string[] => {
  if (tool === 'task_next_actions' || tool === 'task_create')
    return [`claimed by ${textOf(args.claim_by) || 'somebody'}`];
  const isOver = args.release === true || changes.some(({ to }) => isTerminal(to as TaskState));
  return isOver ? ['lease given back'] : [];
};

/** The states of a task, one after the other. Several steps of one call were recorded together, whenever each of them was taken. */
const stepWords = (steps: CallView['changes']): string[] => {
  const [first] = steps;
  if (first === undefined) return [];
  const way = [first.from, ...steps.map(({ to }) => to)].join(' → ');
  return [steps.length > 1 ? `${way} (${steps.length} steps, recorded together)` : way];
};

const wordsOf = (call: CallView, id: string, args: JsonObject): string => {
  const { tool, changes } = call;
  const types = call.subjects.filter((subject) => subject.id === id).map(({ type }) => type);
  if (tool === 'task_create') {
    const others = call.subjects.filter(({ type }) => type === 'task').length - 1;
    const together = others > 0 ? [`recorded together with ${others} other${others === 1 ? '' : 's'}`] : [];
    const claimed = types.includes('lease') ? leaseWords(call, args) : [];
    return ['created', ...together, ...claimed, ...fieldWords(args).filter((word) => word.startsWith('depends'))].join(
      ', ',
    );
  }
  const words = [
    ...stepWords(changes.filter(({ task_id }) => task_id === id)),
    ...(types.includes('lease') ? leaseWords(call, args) : []),
    ...(tool === 'task_update' && types.includes('task') ? fieldWords(args) : []),
  ];
  if (words.length > 0) return words.join(', ');
  return types.includes('task') ? 'title or description changed' : 'note';
};

const entryOf = async (tx: ReadTx, row: LogRow, { task, thoughts }: Known) => {
  const call = callView(row, NOBODY);
  const own = thoughts.filter(({ log_id, seq }) => log_id === row.log_id && seq === row.seq);
  const args = parseObject((await payloadAt(tx, call.log, call.sequence_no)) ?? '{}');
  const changes = call.changes.filter(({ task_id }) => task_id === taskId(task.n));
  const last = changes.at(-1);
  return {
    at: row.at,
    log: row.log_id,
    seq: row.seq,
    call: call.call,
    tool: call.tool,
    client: call.client?.name ?? null,
    agent: own[0]?.agent_id ?? (textOf(args.claim_by) || null),
    /** What the call did to the task, in a few words. */
    what: row.kind === 'unassign' ? 'assignee none: a claim had set it' : wordsOf(call, taskId(task.n), args),
    from: changes[0]?.from ?? null,
    to: last?.to ?? null,
    attempt: last?.attempt ?? null,
    thoughts: own.map(({ thought_id, type, agent_id, content }) => ({ thought_id, type, agent_id, content })),
  };
};

export type HistoryEntry = Awaited<ReturnType<typeof entryOf>>;

/** Returns false if the call only extended the task's lease. */
const isWorthShowing = ({ what, thoughts }: HistoryEntry): boolean => what !== 'note' || thoughts.length > 0;

export const historyOf = async (tx: ReadTx, task: TaskRow, lease: Lease | undefined) => {
  const thoughts = await thoughtsOfTask(tx, taskId(task.n), CLI_LIMITS.taskHistory);
  const known = { task, thoughts };
  const revisions = revisionsOf(task, lease);
  const rows = await knownRecords(tx, known);
  for (const row of rows) revisions.take(callView(row, NOBODY));
  const more = await missingRecords(tx, task, revisions);
  const unique = new Map([...rows, ...more].map((row) => [row.id, row]));
  const ordered = [...unique.values()].sort((a, b) => a.id - b.id).slice(-CLI_LIMITS.taskHistory);
  const entries: HistoryEntry[] = [];
  for (const row of ordered) entries.push(await entryOf(tx, row, known));
  return {
    /** The calls that changed the task, oldest first. */
    entries: entries.filter(isWorthShowing),
    /** True if `entries` has every revision of the task and of its lease. */
    complete: revisions.areFound() && thoughts.length < CLI_LIMITS.taskHistory && ordered.length === unique.size,
  };
};

export type TaskHistory = Awaited<ReturnType<typeof historyOf>>;
