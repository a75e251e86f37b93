// The filters of `colibri log`: checks the options, turns what SQL can test into conditions, and tests the rest on each record.
import { nearest } from '../../core/nearest.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import { RECORDS } from '../../proof/records.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import type { PlaceOptions } from '../place.js';
import { type CallView, callView, IS_ERROR, serversOf, shownOutcome, textOf } from '../records/call-view.js';
import {
  type Condition,
  isCall,
  isEnded,
  isKind,
  isTool,
  type LogRow,
  mayBeAbout,
  mayBeOfClient,
  mayBeOfServer,
  mayHave,
  payloadAt,
  thoughtsAt,
} from '../records/log-repository.js';
import { wrong } from '../target.js';
import { parseTime } from '../when.js';
import { OUTCOME_COLOURS } from './line.js';

export interface LogOptions extends PlaceOptions {
  readonly tool: readonly string[];
  readonly outcome: readonly string[];
  readonly client: readonly string[];
  readonly server: readonly string[];
  readonly kind: readonly string[];
  readonly task?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly all?: true;
  readonly follow?: true;
  readonly explain?: true;
  readonly failed?: true;
}

/** The outcomes of calls that did not end well. */
const TROUBLE = ['failed', IS_ERROR, 'refused', 'rejected', 'domain_error', 'interrupted', 'lost', 'unknown'];

/** The outcomes that can be asked for; `unknown` stands for several. */
const OUTCOMES = [...Object.keys(OUTCOME_COLOURS), 'unknown'];

const checkedOutcome = (text: string): string => {
  const known = OUTCOMES.find((outcome) => outcome === text.toLowerCase());
  if (known !== undefined) return known;
  const meant = nearest(text, OUTCOMES);
  throw wrong(
    `There is no outcome ${JSON.stringify(text)}${meant === undefined ? '' : `; the nearest is ${meant}`}.`,
    `Outcomes: ${OUTCOMES.join(' ')}.`,
  );
};

const checkedTask = (text: string): string => {
  const n = taskNumber(text);
  if (n === undefined) throw wrong(`${JSON.stringify(text)} is not a task.`, 'Tasks are named like T-0042.');
  return taskId(n);
};

/** Refuses a kind of record that there is not: a misspelt one would find nothing and look like an empty log. */
const checkedKind = (text: string): string => {
  const kinds = Object.keys(RECORDS);
  if (kinds.includes(text)) return text;
  const meant = nearest(text, kinds);
  throw wrong(
    `There are no records of kind ${JSON.stringify(text)}${meant === undefined ? '' : `; the nearest is ${meant}`}.`,
    `Kinds: ${kinds.join(' ')}.`,
  );
};

/** Refuses options with too many values, because each value makes the SQL longer. */
const assertFew = ({ tool, outcome, client, server, kind }: LogOptions): void => {
  const most = Math.max(...[tool, outcome, client, server, kind].map(({ length }) => length));
  if (most > CLI_LIMITS.filterValues)
    throw wrong(`An option is given ${most} times.`, `Give each option at most ${CLI_LIMITS.filterValues} times.`);
};

/** Refuses an outcome together with another kind of record: only `call.exit` records have an outcome. */
const assertFits = ({ kind, outcome, failed }: LogOptions): void => {
  if ((outcome.length === 0 && !failed) || kind.every((one) => one === 'call.exit')) return;
  throw wrong('--outcome and --failed are about calls and do not go with this --kind.', 'Leave --kind out.');
};

/** Checks the filters. In the result every outcome is known, the task is written as `T-0042`, and times are as records have them. */
export const checkedOptions = (options: LogOptions, now: number): LogOptions => {
  assertFew(options);
  assertFits(options);
  const { task, since, until } = options;
  return {
    ...options,
    outcome: [...options.outcome.map(checkedOutcome), ...(options.failed ? TROUBLE : [])],
    kind: options.kind.map(checkedKind),
    ...(task !== undefined && { task: checkedTask(task) }),
    ...(since !== undefined && { since: parseTime(since, '--since', now) }),
    ...(until !== undefined && { until: parseTime(until, '--until', now) }),
  };
};

const of = <T>(values: readonly T[], make: (values: readonly T[]) => Condition): Condition[] =>
  values.length === 0 ? [] : [make(values)];

const outcomeCondition = (outcomes: readonly string[]): Condition[] => {
  if (outcomes.length === 0) return [];
  const isWanted = (outcome: string): boolean => outcomes.includes(outcome);
  return [
    mayHave({
      outcome: [...outcomes, ...(isWanted('unknown') ? ['interrupted'] : [])],
      code: isWanted('unknown') ? ['OUTCOME_UNKNOWN'] : [],
      how: isWanted(IS_ERROR) ? [IS_ERROR] : [],
    }),
  ];
};

export const conditionsOf = ({
  kind,
  follow,
  tool,
  outcome,
  client,
  server,
  task,
  session,
}: LogOptions): Condition[] => [
  kind.length > 0 ? isKind(kind) : follow ? isEnded : isCall,
  ...of(tool, isTool),
  ...outcomeCondition(outcome),
  ...of(client, mayBeOfClient),
  ...of(server, mayBeOfServer),
  ...(task === undefined ? [] : [mayBeAbout('task_id', task)]),
  ...(session === undefined ? [] : [mayBeAbout('session_id', session)]),
];

const isOutcome = (call: CallView, wanted: readonly string[]): boolean =>
  wanted.includes(shownOutcome(call)) || (call.unknown && wanted.includes('unknown'));

const argumentsOf = async (tx: ReadTx, { log, sequence_no }: CallView): Promise<JsonObject> =>
  parseObject((await payloadAt(tx, log, sequence_no)) ?? '{}');

const isAboutTask = async (tx: ReadTx, call: CallView, task: string): Promise<boolean> => {
  const { subjects, changes, log, seq } = call;
  if (changes.some(({ task_id }) => task_id === task)) return true;
  if (subjects.some(({ type, id }) => id === task && (type === 'task' || type === 'lease'))) return true;
  if ((await thoughtsAt(tx, log, seq)).some(({ task_id }) => task_id === task)) return true;
  const asked = taskNumber(textOf((await argumentsOf(tx, call)).task_id));
  return asked !== undefined && taskId(asked) === task;
};

const isAboutSession = async (tx: ReadTx, call: CallView, body: string, session: string): Promise<boolean> => {
  if (parseObject(body).session_id === session) return true; // the record that sealed the session
  if (call.subjects.some(({ type, id }) => id === session && type === 'session')) return true;
  if ((await thoughtsAt(tx, call.log, call.seq)).some(({ session_id }) => session_id === session)) return true;
  return (await argumentsOf(tx, call)).session_id === session;
};

const isOfServer = (call: CallView, body: string, wanted: readonly string[]): boolean =>
  [textOf(parseObject(body).server), ...serversOf(call)].some((server) => wanted.includes(server));

/** Returns the exact test whether a record matches the filters; the SQL conditions may let other records through. */
export const matcherOf =
  ({ outcome, client, server, task, session, since, until }: LogOptions, alive: ReadonlySet<string>) =>
  async (tx: ReadTx, row: LogRow): Promise<boolean> => {
    if ((since !== undefined && row.at < since) || (until !== undefined && row.at >= until)) return false;
    const call = callView(row, alive);
    if (outcome.length > 0 && !isOutcome(call, outcome)) return false;
    if (client.length > 0 && !client.includes(call.client?.name ?? '')) return false;
    if (server.length > 0 && !isOfServer(call, row.body, server)) return false;
    if (task !== undefined && !(await isAboutTask(tx, call, task))) return false;
    return session === undefined || isAboutSession(tx, call, row.body, session);
  };
