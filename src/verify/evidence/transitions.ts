// Checks what one record says about tasks besides their revisions: transitions (`changes`), dependencies that were DONE (`done`), leases
// that had run out (`expired`). Reads only this record and the thoughts that it names; histories.ts compares it with other records.
import { ENTRY_RULES, NEXT_STATES, TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { thoughtPlace } from './evidence-repository.js';
import { type ReadRecord, sayPointer, shown, subjectsOf } from './pointer.js';
import { MOST_REVISIONS, type TracedMove } from './trace.js';

export const isRevision = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_REVISIONS;

const isState = (value: unknown): value is TaskState => TASK_STATES.includes(value as TaskState);

/** The number in a task id such as T-0042; undefined if the text is not exactly the id of a task. */
export const exactNumber = (id: unknown): number | undefined => {
  const n = typeof id === 'string' ? taskNumber(id) : undefined;
  return n !== undefined && taskId(n) === id ? n : undefined;
};

/** The transitions that a record names, in order. A record of format 4 has at most one, in the member `change`. */
export const recordedMoves = ({ changes, change }: JsonObject): readonly unknown[] =>
  Array.isArray(changes) ? changes : change === undefined ? [] : [change];

export const isRetry = (from: unknown, to: unknown): boolean => from === 'VERIFY' && to === 'GATHER';

/** Says what is wrong with a single transition of a task; undefined if nothing is. */
const stepFault = ({ from, to, version, attempt }: JsonObject): string | undefined => {
  if (!isState(from) || !isState(to)) return `names states that no task has: ${shown(from)}, ${shown(to)}`;
  if (!NEXT_STATES[from].includes(to)) return `goes from ${from} to ${to}, which is not allowed`;
  if (!isRevision(version) || !Number.isInteger(attempt) || Number(attempt) < 1 + (isRetry(from, to) ? 1 : 0))
    return `names version ${shown(version)} and attempt ${shown(attempt)}`;
  return undefined;
};

/** Says if a transition of a task does not continue the task's transition before it in the same record. */
const continuation = (before: JsonObject | undefined, step: JsonObject): string | undefined => {
  if (before === undefined) return undefined;
  const attempt = Number(before.attempt) + (isRetry(step.from, step.to) ? 1 : 0);
  const follows = before.to === step.from && before.version === step.version && step.attempt === attempt;
  return follows ? undefined : 'does not continue the step before it in this record';
};

/** Says if a thought that a transition names is not there, is about another task or attempt, or was recorded later. */
const thoughtFault = (
  tx: StoreReading,
  { log, seq }: ReadRecord,
  { thought, task_id, attempt }: JsonObject,
): string | undefined => {
  const row = typeof thought === 'string' ? thoughtPlace(tx, thought) : undefined;
  if (row === undefined) return `names thought ${shown(thought)}, which is not there`;
  if (row.task_id !== task_id) return `names a thought about ${shown(row.task_id)}`;
  if (attempt !== undefined && row.attempt !== attempt) return `names a thought of attempt ${shown(row.attempt)}`;
  return row.log_id === log && Number(row.seq) > seq ? 'names a thought that was recorded later' : undefined;
};

/** Says if a record does not show that the condition for the state which a task enters was met. Records of format 4 need not show it. */
const entryFault = (tx: StoreReading, record: ReadRecord, step: JsonObject): string | undefined => {
  const { because, thought, task_id, attempt } = step;
  const reason = because === undefined ? undefined : thoughtFault(tx, record, { thought: because, task_id });
  if (reason !== undefined) return reason;
  if (record.body.changes === undefined) return undefined;
  const rule = ENTRY_RULES[step.to as TaskState];
  if (rule === 'dependencies done' && record.body.done === undefined) return 'does not say which tasks were DONE';
  if (rule === 'a thought in this attempt') return thoughtFault(tx, record, { thought, task_id, attempt });
  return thought === undefined ? undefined : 'names a thought, which only a task that enters DONE does';
};

const subjectFault = ({ body }: ReadRecord, { task_id, version }: JsonObject): string | undefined =>
  subjectsOf(body).some(({ type, id, rev }) => type === 'task' && id === task_id && rev === version)
    ? undefined
    : `changes version ${shown(version)}, which this record did not make`;

/**
 * For each task that a record moves, by its id: the state before its first transition and the state after its last. Contradictions are
 * added to `findings`.
 */
export const movesOf = (
  tx: StoreReading,
  record: ReadRecord,
  findings: Finding[],
): ReadonlyMap<unknown, TracedMove> => {
  const moves = new Map<unknown, TracedMove>();
  const last = new Map<unknown, JsonObject>();
  for (const step of recordedMoves(record.body)) {
    const id = isObject(step) ? step.task_id : undefined;
    const where = { log: record.log, seq: record.seq, table: 'tasks', id: shown(id) };
    const fault = isObject(step)
      ? (stepFault(step) ??
        continuation(last.get(id), step) ??
        subjectFault(record, step) ??
        entryFault(tx, record, step))
      : 'is named by a change that is not an object';
    if (fault !== undefined) findings.push(sayPointer('subject', where, fault));
    if (!isObject(step) || stepFault(step) !== undefined) continue;
    last.set(id, step);
    const retries = (moves.get(id)?.retries ?? 0) + (isRetry(step.from, step.to) ? 1 : 0);
    const from = moves.get(id)?.from ?? (step.from as TaskState);
    moves.set(id, { from, to: step.to as TaskState, attempt: step.attempt as number, retries });
  }
  return moves;
};

/** The number of a task or lease, and the revision at which a record says that the task was DONE or the lease had run out. */
export interface FoundRow {
  readonly n: number;
  readonly rev: number;
}

/** Reads the list `done` or `expired` of a record. A list or an entry in a form that Colibri never writes is a finding. */
export const foundRows = (record: ReadRecord, list: 'done' | 'expired', findings: Finding[]): FoundRow[] => {
  const value = record.body[list];
  if (value === undefined) return [];
  const rev = list === 'done' ? 'version' : 'rev';
  const rows = (Array.isArray(value) ? value : [undefined]).map((one) => {
    const [n, at] = isObject(one) ? [exactNumber(one.task_id), one[rev]] : [];
    return n !== undefined && isRevision(at) ? { n, rev: at } : undefined;
  });
  const isWrong = rows.includes(undefined) || new Set(rows.map((row) => row?.n)).size < rows.length;
  const where = { log: record.log, seq: record.seq, table: list === 'done' ? 'tasks' : 'leases' };
  if (isWrong) findings.push(sayPointer('subject', where, `${list} holds entries that Colibri never writes`));
  return rows.filter((row) => row !== undefined);
};
