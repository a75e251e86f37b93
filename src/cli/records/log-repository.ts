// The SQL for searching records. There is no index over their contents (each would slow down every append), so a search scans
// ranges of ids that its caller bounds. LIKE only excludes rows that cannot match: a body is canonical JSON, so `"key":"value"`
// occurs in a body only as a member. The caller then checks whether the member is the right one.
import { findOutcome, outcomeIdOf } from '../../ledger/outcomes.js';
import type { ReadTx, SqlValue } from '../../store/store.js';
import type { LogInfo } from './record-repository.js';

export const recordTime = async (tx: ReadTx, id: number): Promise<string | undefined> =>
  (await tx.get<{ at: string }>('SELECT at FROM actions WHERE id = ?', id))?.at;

/**
 * How many records of a log are older than a time, found by bisection. If the clock stepped back while records were
 * written, the number is an estimate.
 */
export const recordsBefore = async (tx: ReadTx, { base, size }: LogInfo, time: string): Promise<number> => {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (((await recordTime(tx, base + middle)) ?? '') < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

export interface Stretch {
  /** The range of record ids `from … to - 1`. */
  readonly from: number;
  readonly to: number;
}

/** A row of a record; the outcome of a call comes with the record of the call's start (its intent). */
export type LogRow = {
  readonly id: number;
  readonly log_id: string;
  readonly seq: number;
  readonly kind: string;
  readonly at: string;
  readonly body: string;
  readonly leaf: string;
  readonly intent: string | null;
  readonly began: string | null;
  /** The JSON texts that are stored beside a `health` record; null for other records and if the texts are gone. */
  readonly texts: string | null;
  /** The stored arguments of the call as JSON, if they were read for a listing (`withAsked`). */
  readonly asked?: string | null;
};

const ROW = `x.id, x.log_id, x.seq, x.kind, x.at, x.body, x.leaf, e.body AS intent, e.at AS began,
  CASE WHEN x.kind = 'health' THEN (SELECT p.json FROM payloads p WHERE p.log_id = x.log_id AND p.seq = x.seq) END AS texts`;
const WITH_INTENT = `FROM actions x
  LEFT JOIN actions e ON x.kind = 'call.exit' AND e.id = x.id - x.seq + x.sequence_no AND e.kind = 'call.enter'`;

export const recordById = (tx: ReadTx, id: number): Promise<LogRow | undefined> =>
  tx.get<LogRow>(`SELECT ${ROW} ${WITH_INTENT} WHERE x.id = ?`, id);

export const outcomeOf = async (tx: ReadTx, log: string, sequenceNo: number): Promise<LogRow | undefined> => {
  const id = await findOutcome(tx, log, sequenceNo);
  return id === undefined ? undefined : recordById(tx, id);
};

/** One condition of a WHERE clause; conditions are joined with AND. */
export interface Condition {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

const condition = (text: string, ...params: SqlValue[]): Condition => ({ text, params });

const either = (parts: readonly Condition[]): Condition =>
  condition(`(${parts.map(({ text }) => text).join(' OR ')})`, ...parts.flatMap(({ params }) => params));

const holding = (column: string, text: string): Condition =>
  condition(`${column} LIKE ? ESCAPE '\\'`, `%${text.replace(/[\\%_]/g, '\\$&')}%`);

/** The text `"key":"value"` as canonical JSON writes a member. */
const member = (key: string, value: string): string => `${JSON.stringify(key)}:${JSON.stringify(value)}`;

const among = (column: string, values: readonly string[]): Condition =>
  condition(`${column} IN (${values.map(() => '?').join(', ')})`, ...values);

export const isEnded = condition(`x.kind = 'call.exit'`);
/** Selects the outcomes that are not ok, and those of calls that a server answered with an error at some time. In canonical JSON the text `"outcome":"ok"` occurs only as that member. */
export const isTrouble = condition(
  `x.kind = 'call.exit' AND (x.body NOT LIKE '%"outcome":"ok"%' OR x.body LIKE '%"how":"is_error"%')`,
);
/** Selects the intents that have no outcome. */
export const isOpen = condition(`x.kind = 'call.enter' AND ${outcomeIdOf('x')} IS NULL`);
/** Selects one record for each call: its outcome, or its intent if there is no outcome. */
export const isCall = either([isEnded, isOpen]);
export const isKind = (kinds: readonly string[]): Condition => among('x.kind', kinds);
export const isTool = (tools: readonly string[]): Condition => among('x.tool', tools);

/** SQL for the call's UUID in the record that was written before a call: the value of the first `"call"` in the body, because no object comes before that member. */
const CALL = `substr(x.body, instr(x.body, '"call":"') + 8, 36)`;

/** Selects the intents of given calls. Cheaper than `hasMember`, which reads every body to its end. */
export const isIntentOf = (calls: readonly string[]): Condition => {
  const { text, params } = among(CALL, calls);
  return condition(`x.kind = 'call.enter' AND ${text}`, ...params);
};

/** Selects the intents of calls whose id begins so. */
export const isIntentLike = (prefix: string): Condition =>
  condition(`x.kind = 'call.enter' AND substr(${CALL}, 1, ?) = ?`, prefix.length, prefix);

export const hasMember = (key: string, value: string): Condition => holding('x.body', member(key, value));

/** Selects records that hold one of the given members, and all intents. */
export const mayHave = (members: Readonly<Record<string, readonly string[]>>): Condition =>
  either([
    condition(`x.kind = 'call.enter'`),
    ...Object.entries(members).flatMap(([key, values]) => values.map((value) => hasMember(key, value))),
  ]);

export const mayBeOfClient = (names: readonly string[]): Condition =>
  either(
    names.flatMap((name) => ['x.body', 'e.body'].map((body) => holding(body, `"client":{${member('name', name)}`))),
  );

/** Selects calls that name one of the servers, in the route or in the tool's name. */
export const mayBeOfServer = (names: readonly string[]): Condition =>
  either(names.flatMap((name) => [holding('x.body', member('server', name)), holding('x.tool', `${name}__`)]));

const thoughtOf = (column: 'task_id' | 'session_id', id: string): Condition =>
  condition(`EXISTS (SELECT 1 FROM thoughts t WHERE t.log_id = x.log_id AND t.seq = x.seq AND t.${column} = ?)`, id);

const calledWith = (text: string): Condition => {
  const { text: like, params } = holding('p.json', text);
  return condition(
    `EXISTS (SELECT 1 FROM payloads p WHERE p.log_id = x.log_id AND p.seq = x.sequence_no AND ${like})`,
    ...params,
  );
};

/** Selects calls that changed a task or session, recorded a thought for it, or may name it in their arguments. */
export const mayBeAbout = (column: 'task_id' | 'session_id', id: string): Condition =>
  either([
    holding('x.body', JSON.stringify(id)),
    thoughtOf(column, id),
    calledWith(column === 'task_id' ? `${Number(id.replace(/^T-/, ''))}"` : member(column, id)),
  ]);

/**
 * Records with ids `from … to - 1` that meet the conditions, oldest first. Searches that go backwards use this order too,
 * because a disk reads ahead only in the order in which the file was written.
 */
export const recordsBetween = (tx: ReadTx, { from, to }: Stretch, conditions: readonly Condition[]) =>
  tx.all<LogRow>(
    `SELECT ${ROW} ${WITH_INTENT} WHERE x.id >= ? AND x.id < ?
     ${conditions.map(({ text }) => `AND ${text}`).join(' ')} ORDER BY x.id`,
    from,
    to,
    ...conditions.flatMap(({ params }) => params),
  );

export const countEnded = async (tx: ReadTx, { from, to }: Stretch): Promise<number> => {
  const sql = `SELECT COUNT(*) AS n FROM actions WHERE id >= ? AND id < ? AND kind = 'call.exit'`;
  return (await tx.get<{ n: number }>(sql, from, to))?.n ?? 0;
};

/** The JSON text that is stored with a record (for a call's intent: the call's arguments); null if there is none, or if it was removed. */
export const payloadAt = async (tx: ReadTx, log: string, seq: number): Promise<string | null> =>
  (await tx.get<{ json: string | null }>('SELECT json FROM payloads WHERE log_id = ? AND seq = ?', log, seq))?.json ??
  null;

/** The text of a stored definition of a tool; null if it was erased; undefined if it is not in the store. */
export const definitionText = async (tx: ReadTx, digest: string): Promise<string | null | undefined> =>
  (await tx.get<{ json: string | null }>('SELECT json FROM definitions WHERE digest = ?', digest))?.json;

/** Adds their calls' arguments to records. For the records that are shown, not for those that are searched. */
export const withAsked = async (tx: ReadTx, rows: readonly LogRow[]): Promise<LogRow[]> => {
  const read: LogRow[] = [];
  for (const row of rows) {
    const seq = row.kind === 'call.exit' ? (JSON.parse(row.body) as { sequence_no: number }).sequence_no : row.seq;
    const isCall = row.kind === 'call.exit' || row.kind === 'call.enter';
    read.push(isCall && Number.isInteger(seq) ? { ...row, asked: await payloadAt(tx, row.log_id, seq) } : row);
  }
  return read;
};

export type RecordedThought = {
  readonly thought_id: string;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly type: string;
  readonly content: string | null;
};

/** The thoughts that the call of a record stored. */
export const thoughtsAt = (tx: ReadTx, log: string, seq: number): Promise<RecordedThought[]> =>
  tx.all<RecordedThought>(
    `SELECT thought_id, session_id, task_id, agent_id, type, content FROM thoughts
     WHERE log_id = ? AND seq = ? ORDER BY place`,
    log,
    seq,
  );
