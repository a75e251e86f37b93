// Reads a call from its two records, start (intent) and outcome. Anybody may have changed the store, so every member is checked.
import { ERRORS, type ErrorCode } from '../../errors.js';
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import { CLIENT, HOST, STEP, SUBJECTS } from '../../proof/record-parts.js';
import type { ClientIdentity, HostIdentity, Subject, TaskTransition } from '../../proof/records.js';
import { listing, orNull } from '../../proof/shape.js';
import { ROUTE, type RouteAttempt, type RouteNote } from '../../proof/switchboard-records.js';
import type { LogRow } from './log-repository.js';
import { readAs } from './read-shape.js';

export type SubjectView = Pick<Subject, 'type' | 'id' | 'rev'>;

/** The servers that could answer a call and the attempts at them, as the call's outcome record says. */
export type RouteView = RouteNote;
export type ShownCandidate = RouteNote['candidates'][number];
export type ShownAttempt = RouteAttempt;

export interface CallView {
  readonly log: string;
  /** The number of the call's outcome record; while there is none, the number of the intent record. */
  readonly seq: number;
  /** The number of the intent record, which is written before the call runs. */
  readonly sequence_no: number;
  readonly call: string;
  readonly tool: string;
  readonly effect: string | null;
  /** The recorded outcome; if there is none, `running` if the Colibri process that serves the call is alive, else `lost`. */
  readonly outcome: string;
  /** True if the call's answer is an error; the outcome `ok` only says that an answer arrived and was recorded. */
  readonly is_error: boolean;
  readonly code: string | null;
  /** True if the call was sent or begun and nobody knows whether it had its effect. */
  readonly unknown: boolean;
  readonly began_at: string;
  readonly ended_at: string | null;
  readonly duration_us: number | null;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | null;
  readonly instance: string | null;
  /** The digest of what the client was shown of the other server's tool; null for other calls, and for calls from before format 8. */
  readonly definition: string | null;
  /** True if the client was never shown the tool. */
  readonly unlisted: boolean;
  readonly subjects: readonly SubjectView[];
  /** The transitions of tasks, in order. */
  readonly changes: readonly TaskTransition[];
  readonly route: RouteView | null;
  readonly late: boolean;
}

/** A record's body together with the texts that are stored beside the record; `detail` says if the texts were erased. */
export const wholeBody = ({ body, texts }: Pick<LogRow, 'body' | 'texts'>): JsonObject => {
  const record = parseObject(body);
  if (record.texts !== 'stored') return record;
  return texts === null ? { ...record, detail: '(erased or pruned)' } : { detail: null, ...record, ...wordsIn(texts) };
};

const wordsIn = (texts: string): JsonObject => {
  const { detail } = parseObject(texts);
  return typeof detail === 'string' ? { detail } : {};
};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The transitions in an outcome; a record of format 4 has one at most, as `change`. */
const changesOf = ({ changes, change }: JsonObject): readonly TaskTransition[] =>
  readAs(listing(STEP), changes ?? (change === undefined ? [] : [change]));

const subjectView = ({ type, id, rev }: Subject): SubjectView => ({ type, id, rev });

/**
 * Whether nobody knows if a call had its effect. An interrupted write to the store was rolled back, so its effect is known;
 * any other effect happens in another server. A cancelled call has no error code, so its attempts decide.
 */
const isUnknown = ({
  outcome,
  code,
  effect,
  route,
}: Pick<CallView, 'outcome' | 'code' | 'effect' | 'route'>): boolean =>
  code === 'OUTCOME_UNKNOWN' ||
  route?.attempts.some((one) => one.code === 'OUTCOME_UNKNOWN') === true ||
  ((outcome === 'interrupted' || outcome === 'lost') && effect === 'proxy');

/** Reads a call from `row`: an outcome with its intent, or an intent alone. `alive`: ids of the Colibri processes that run now. */
export const callView = (row: LogRow, alive: ReadonlySet<string>): CallView => {
  const isEnded = row.kind === 'call.exit';
  // A record of a migration is not a call; all that it has in common with one is which rows it changed.
  const isConversion = row.kind === 'unassign';
  const exit = isEnded || isConversion ? parseObject(row.body) : {};
  const enter = isEnded || isConversion ? parseObject(row.intent ?? '{}') : parseObject(row.body);
  const instance = textOf(enter.instance) || null;
  const open = instance !== null && alive.has(instance) ? 'running' : 'lost';
  const call = {
    log: row.log_id,
    seq: row.seq,
    sequence_no: numberOf(isEnded ? exit.sequence_no : row.seq),
    call: textOf(isEnded ? exit.call : enter.call),
    tool: textOf(isEnded ? exit.tool : enter.tool),
    effect: textOf(enter.effect) || null,
    outcome: isEnded ? textOf(exit.outcome) : open,
    code: textOf(exit.code) || null,
    unknown: false,
    is_error: false,
    began_at: isEnded ? (row.began ?? row.at) : row.at,
    ended_at: isEnded ? row.at : null,
    duration_us: typeof exit.duration_us === 'number' ? exit.duration_us : null,
    client: readAs(orNull(CLIENT), enter.client),
    host: readAs(orNull(HOST), enter.host),
    instance,
    definition: textOf(enter.definition) || null,
    unlisted: enter.unlisted === true,
    subjects: readAs(SUBJECTS, exit.subjects).map(subjectView),
    changes: changesOf(exit),
    route: readAs(orNull(ROUTE), exit.route),
    late: exit.late === true || enter.late === true,
  };
  return { ...call, unknown: isUnknown(call), is_error: isAnsweredError(call) };
};

/** Whether the answer that a call ended with is an error. */
const isAnsweredError = (call: Pick<CallView, 'outcome' | 'route'>): boolean =>
  call.outcome === 'ok' && lastTry(call)?.how === 'is_error';

/** The last attempt of a call at a server, which decided the answer to the caller. */
export const lastTry = ({ route }: Pick<CallView, 'route'>): ShownAttempt | undefined => route?.attempts.at(-1);

/** The word for a call whose answer arrived and is an error. */
export const IS_ERROR = 'is_error';

/** The outcome as it is shown and asked for: the recorded one, or `is_error`. */
export const shownOutcome = ({ outcome, is_error }: Pick<CallView, 'outcome' | 'is_error'>): string =>
  is_error ? IS_ERROR : outcome;

/** The same, read from the body of an outcome record alone. */
export const outcomeShownIn = (exit: JsonObject): string => {
  const call = { outcome: textOf(exit.outcome), route: readAs(orNull(ROUTE), exit.route) };
  return shownOutcome({ outcome: call.outcome, is_error: isAnsweredError(call) });
};

/** Matches the server's name in a tool name such as `server__tool`. */
const PREFIX = /^(.+?)__./;

/** The names of a call's servers: those that its route tried, else the server in the tool's name. */
export const serversOf = ({ route, tool, effect }: CallView): readonly string[] => {
  const named = [...(route?.attempts ?? []), ...(route?.candidates ?? [])].map(({ server }) => server);
  if (named.length > 0) return [...new Set(named)];
  const [, server] = effect === 'proxy' || effect === null ? (PREFIX.exec(tool) ?? []) : [];
  return server === undefined ? [] : [server];
};

export const errorRow = (code: string | null): (typeof ERRORS)[ErrorCode] | undefined =>
  code !== null && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
