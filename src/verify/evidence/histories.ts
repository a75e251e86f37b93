// Checks the history of one evidence row from what the records of all logs say about the row: its revisions are 1, 2, 3 …, each made
// once; each transition of a task begins in the state in which the one before it ended; a task that a record calls DONE was DONE; the
// flag of a lease says whether the lease was given back or found to have run out. order.ts tells which of two records came first.
import type { TaskState } from '../../domains/tasks/state-machine.js';
import { taskId } from '../../domains/tasks/task.js';
import { isObject, parsedObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import type { Finding, FindingKind } from '../verdict/finding.js';
import { approvalStepFault } from './approvals.js';
import { leaseFlags, recordPlace, type StoredRow, taskStanding } from './evidence-repository.js';
import { logNo, type Precedes } from './order.js';
import { sayPointer, shown, subjectsOf } from './pointer.js';
import { roundStepFault } from './rounds.js';
import { tableOf } from './subjects.js';
import { ATTEMPTS, readTrace, rowOf, type Trace, type TracedRow } from './trace.js';

/** What the check of a row's history needs besides the row's traces (what records say about the row). */
export interface HistoryFacts {
  readonly tx: StoreReading;
  /**
   * Whether the revision after the one that this record made may be missing (if `record` is undefined: the first revision). It may be in
   * records that were not read, because a head that the user trusts covers them, or in a lost log.
   */
  readonly mayMissAfter: (record: number | undefined) => boolean;
  /** Whether one record was written before another, as far as that is known. */
  readonly precedes: Precedes;
  /** Whether a record that was written during this verification says that the lease of task `n` ran out at revision `rev`. */
  readonly expiredLater: (n: number, rev: number) => boolean;
}

interface RowHistory extends HistoryFacts {
  readonly row: TracedRow;
  /** What the records that made the row's revisions say about the row (traces): one trace for each revision, in the order of revisions. */
  readonly made: readonly Trace[];
  /** For each revision of the row, the index of its element in `made`. */
  readonly places: ReadonlyMap<number, number>;
  readonly findings: Finding[];
}

/**
 * The id of a row. What was noted about a row (its traces) has only a digest of the id of a session or catalogue, so such an id is read
 * from a record.
 */
const nameOf = ({ row }: RowHistory, body: unknown): string => {
  if (row.n > 0) return taskId(row.n);
  const named = subjectsOf(parsedObject(body) ?? {}).find(({ type, id }) => row.isOf(type, String(id)));
  return shown(named?.id);
};

const say = (history: RowHistory, record: number, message: string, kind: FindingKind = 'subject'): void => {
  const { tx, row, findings } = history;
  const { log_id: log, seq, body } = recordPlace(tx, record) ?? {};
  const where = { log: shown(log), seq: Number(seq), table: tableOf(row.type), id: nameOf(history, body) };
  findings.push(sayPointer(kind, where, message));
};

const placeOf = ({ tx }: RowHistory, record: number): string => {
  const { log_id: log, seq } = recordPlace(tx, record) ?? {};
  return `record ${shown(seq)} of log ${shown(log)}`;
};

/** Whether the record that made a revision comes after the record that made the next revision, or one record made both. */
const isMadeLater = ({ precedes }: RowHistory, one: Trace, next: Trace): boolean =>
  one.record === next.record || precedes(next.record, one.record);

/** Reports revisions that two records made, that no record made, or that were made in the wrong order. */
const checkRevisions = (history: RowHistory, made: readonly Trace[]): void => {
  let before: Trace | undefined;
  for (const one of made) {
    const next = (before?.rev ?? 0) + 1;
    if (before !== undefined && one.rev === before.rev)
      say(history, one.record, `is revision ${one.rev} already by ${placeOf(history, before.record)}`);
    else if (one.rev > next && !history.mayMissAfter(before?.record)) {
      const lost = one.rev - 1 === next ? `revision ${next}` : `revisions ${next} to ${one.rev - 1}`;
      say(history, one.record, `is revision ${one.rev}, but no record made ${lost}`);
    }
    if (before !== undefined && one.rev > before.rev && isMadeLater(history, before, one))
      say(history, one.record, `is revision ${one.rev} before ${placeOf(history, before.record)} made ${before.rev}`);
    if (before === undefined || one.rev > before.rev) before = one;
  }
};

interface TaskStanding {
  readonly status: TaskState;
  readonly attempt: number;
}

const NEW_TASK: TaskStanding = { status: 'INIT', attempt: 1 };

/** The state of a task after a revision; undefined if earlier revisions are missing, so that the state cannot be known. */
const stateAfter = (history: RowHistory, before: TaskStanding | undefined, { move, rev, record }: Trace) => {
  if (move === undefined) return before;
  const { from, to, attempt, retries } = move;
  if (before !== undefined && before.status !== from)
    say(history, record, `leaves ${from} with revision ${rev}, but it was in ${before.status}`);
  else if (before !== undefined && (before.attempt + retries) % ATTEMPTS !== attempt)
    say(history, record, `is in attempt ${attempt} with revision ${rev}, but it was in attempt ${before.attempt}`);
  return { status: to, attempt };
};

/** The states of a task after each of its revisions, by revision. */
const followStates = (history: RowHistory): ReadonlyMap<number, TaskStanding> => {
  const states = new Map<number, TaskStanding>();
  let [state, rev]: [TaskStanding | undefined, number] = [NEW_TASK, 0];
  for (const one of history.made) {
    state = stateAfter(history, one.rev === rev + 1 ? state : undefined, one);
    rev = one.rev;
    if (state !== undefined) states.set(rev, state);
  }
  return states;
};

/** Reports a record that says something about a row at a revision (`found`) which was not the row's newest revision at that time. */
const checkMoment = (history: RowHistory, found: Trace, what: string): void => {
  const at = history.places.get(found.rev) ?? history.made.length;
  const [one, next] = [history.made[at], history.made[at + 1]];
  if (one === undefined) {
    const before = history.made.findLast(({ rev }) => rev < found.rev);
    if (!history.mayMissAfter(before?.record))
      say(history, found.record, `${what} at revision ${found.rev}, which no record made`);
  } else if (history.precedes(found.record, one.record))
    say(history, found.record, `${what} at revision ${found.rev} before that revision was made`);
  else if (next !== undefined && history.precedes(next.record, found.record))
    say(history, found.record, `${what} at revision ${found.rev} after revision ${next.rev} was made`);
};

/** The attempt of a task before a revision; undefined if it is not known. */
const attemptBefore = ({ move, rev }: Trace, states: ReadonlyMap<number, TaskStanding>): number | undefined =>
  move === undefined ? states.get(rev)?.attempt : (move.attempt - move.retries + ATTEMPTS) % ATTEMPTS;

/**
 * Reports thoughts of an attempt in which the task cannot have been: below that after the last revision before them in their log, or
 * above that before the next one, or, without a next one, above the task's last. Attempts only grow.
 */
const checkAttempts = (
  history: RowHistory,
  states: ReadonlyMap<number, TaskStanding>,
  thoughts: readonly Trace[],
): void => {
  if (thoughts.length === 0) return;
  const last = history.made.at(-1);
  const final = last && !history.mayMissAfter(last.record) ? states.get(last.rev)?.attempt : undefined;
  const made = history.made.toSorted((a, b) => a.record - b.record);
  const inLog = (one: Trace | undefined, record: number): Trace | undefined =>
    one !== undefined && logNo(one.record) === logNo(record) ? one : undefined;
  let at = 0;
  for (const { record, attempt = 0 } of thoughts) {
    while (at < made.length && (made[at]?.record ?? 0) < record) at += 1;
    const [before, next] = [inLog(made[at - 1], record), inLog(made[at], record)];
    const most = next === undefined ? final : attemptBefore(next, states);
    // What a call does with a task comes after its thought.
    const least = next?.record === record ? most : before && states.get(before.rev)?.attempt;
    if (attempt < (least ?? 1) || attempt > (most ?? ATTEMPTS))
      say(history, record, `has a thought of attempt ${attempt}, in which it was not`);
  }
};

const checkTask = (history: RowHistory, traces: readonly Trace[]): void => {
  const states = followStates(history);
  checkAttempts(
    history,
    states,
    traces.filter(({ kind }) => kind === 'thought').sort((a, b) => a.record - b.record),
  );
  for (const one of traces.filter(({ kind }) => kind === 'done')) {
    const state = states.get(one.rev);
    checkMoment(history, one, 'is named as DONE');
    if (state !== undefined && state.status !== 'DONE')
      say(history, one.record, `is named as DONE at revision ${one.rev}, but it was in ${state.status}`);
  }
  const last = history.made.at(-1);
  const state = last && states.get(last.rev);
  const [first] = history.made;
  const row = taskStanding(history.tx, history.row.n, first?.record ?? 0);
  if (first?.rev === 1 && row !== undefined && row.call_no !== row.made_by)
    say(history, first.record, `call_no is ${shown(row.call_no)}, but call ${shown(row.made_by)} made it`, 'row');
  if (last === undefined || state === undefined || row?.version !== last.rev) return;
  if (row.status !== state.status || Number(row.attempt) % ATTEMPTS !== state.attempt) {
    const is = `is in ${shown(row.status)}, attempt ${shown(row.attempt)}`;
    say(history, last.record, `${is}; its records lead to ${state.status}, attempt ${state.attempt}`, 'row');
  }
};

/**
 * Whether the column `flagged` of a lease agrees with the records. `found` are statements of records (traces) that the lease had run out.
 */
const isFlagRight = ({ expiredLater }: RowHistory, n: number, row: StoredRow, found: readonly Trace[]): boolean => {
  const rev = Number(row.rev);
  const isFree = row.released === 1 || found.some((one) => one.rev === rev);
  return row.flagged === (isFree ? 0 : 1) || (row.flagged === 0 && expiredLater(n, rev));
};

const checkLease = (history: RowHistory, found: readonly Trace[]): void => {
  const { tx, mayMissAfter, made, places } = history;
  const revs = new Set<number>();
  for (const one of found) {
    checkMoment(history, one, 'is named as run out');
    if (made[places.get(one.rev) ?? -1]?.record === one.record)
      say(history, one.record, `is named as run out by the record that made revision ${one.rev}`);
    if (revs.has(one.rev)) say(history, one.record, `is named as run out twice at revision ${one.rev}`);
    revs.add(one.rev);
  }
  const last = made.at(-1);
  const row = leaseFlags(tx, history.row.n);
  if (last === undefined || mayMissAfter(last.record) || row?.rev !== last.rev) return;
  if (isFlagRight(history, history.row.n, row, found)) return;
  const why = row.flagged === 0 ? 'it was neither given back nor found run out' : 'it is over';
  say(history, last.record, `flagged is ${shown(row.flagged)}, but ${why}`, 'derived');
};

/** Reports a round that was decided twice. */
const checkDecided = ({ tx, made, ...rest }: RowHistory): void => {
  for (const [i, one] of made.entries()) {
    const earlier = made.slice(0, i).map(({ record }) => record);
    const fault = roundStepFault(tx, earlier, one.record);
    if (fault !== undefined) say({ tx, made, ...rest }, one.record, fault);
  }
};

/** Reports records of an approval that do not follow from each other. */
const checkSteps = (history: RowHistory): void => {
  for (const [i, one] of history.made.entries()) {
    const before = history.made[i - 1];
    if (before === undefined || one.rev !== before.rev + 1) continue;
    const fault = approvalStepFault(history.tx, before.record, one.record);
    if (fault !== undefined) say(history, one.record, fault);
  }
};

/**
 * One trace (what a record says about the row) for each revision: if several records made the same revision, the trace of the first record.
 */
const oncePerRevision = (made: readonly Trace[]): Trace[] => made.filter(({ rev }, i) => rev !== made[i - 1]?.rev);

/** Checks the history of one row: `key` names the row, `values` are its traces (what records say about the row), in any order. */
export const checkHistory = (facts: HistoryFacts, key: Buffer, values: readonly Buffer[]): Finding[] => {
  const traces = values.map(readTrace).sort((a, b) => a.rev - b.rev || a.record - b.record);
  const all = traces.filter(({ kind }) => kind === 'made');
  const made = oncePerRevision(all);
  const places = new Map(made.map(({ rev }, i) => [rev, i]));
  const history: RowHistory = { ...facts, row: rowOf(key), made, places, findings: [] };
  checkRevisions(history, all);
  const found = traces.filter(({ kind }) => kind !== 'made');
  if (history.row.type === 'task') checkTask(history, found);
  if (history.row.type === 'lease') checkLease(history, found);
  if (history.row.type === 'approval') checkSteps(history);
  if (history.row.type === 'round') checkDecided(history);
  return history.findings;
};

export const expiredKey = (n: number, rev: number): string => `${taskId(n)} ${rev}`;

/** The leases that had run out, as the given records say, each as the text that `expiredKey` returns. */
export const expiredIn = (bodies: readonly unknown[]): ReadonlySet<string> =>
  new Set(
    bodies
      .map(parsedObject)
      .flatMap((body) => (Array.isArray(body?.expired) ? body.expired : []))
      .filter(isObject)
      .map(({ task_id, rev }) => `${String(task_id)} ${String(rev)}`),
  );
