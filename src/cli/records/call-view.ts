// Reads a call from its two records, start (intent) and outcome. Anybody may have changed the store, so every member is checked.
import { ERRORS, type ErrorCode } from '../../errors.js';
import { isObject, type JsonObject, parseObject } from '../../proof/json-object.js';
import type { OutcomeNotes } from '../../proof/records.js';
import type { LogRow } from './log-repository.js';

export type ShownChange = NonNullable<OutcomeNotes['change']>;

export interface SubjectView {
  readonly type: string;
  readonly id: string;
  readonly rev: number;
}

/** The servers that could answer a call and the attempts at them, as the call's outcome record says. */
export interface RouteView {
  /** The name of the route (a tool that several servers can answer); null if the tool of one server was called directly. */
  readonly name: string | null;
  readonly candidates: readonly ShownCandidate[];
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownCandidate {
  readonly server: string;
  readonly tool: string;
  /** The server's state when the call was routed; null if there was no such server. */
  readonly state: string | null;
  readonly eligible: boolean;
  readonly reason?: string;
}

export interface ShownAttempt {
  readonly server: string;
  readonly tool: string;
  readonly how: string;
  readonly code?: string;
  readonly sent: boolean;
  readonly duration_ms: number;
}

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
  readonly code: string | null;
  /** True if the call was sent or begun and nobody knows whether it had its effect. */
  readonly unknown: boolean;
  readonly began_at: string;
  readonly ended_at: string | null;
  readonly duration_us: number | null;
  readonly client: { readonly name: string; readonly version: string; readonly protocol: string } | null;
  readonly host: Readonly<Record<string, string>> | null;
  readonly instance: string | null;
  readonly subjects: readonly SubjectView[];
  readonly change: ShownChange | null;
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
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const clientOf = (value: unknown): CallView['client'] =>
  isObject(value)
    ? { name: textOf(value.name), version: textOf(value.version), protocol: textOf(value.protocol) }
    : null;

const hostOf = (value: unknown): CallView['host'] =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : null;

const subjectOf = ({ type, id, rev }: JsonObject): SubjectView => ({
  type: textOf(type),
  id: textOf(id),
  rev: numberOf(rev),
});

const changeOf = (value: unknown): ShownChange | null =>
  isObject(value)
    ? {
        task_id: textOf(value.task_id),
        from: textOf(value.from),
        to: textOf(value.to),
        version: numberOf(value.version),
        attempt: numberOf(value.attempt),
        ...(typeof value.because === 'string' && { because: value.because }),
      }
    : null;

const candidateOf = ({ server, tool, state, eligible, reason }: JsonObject): ShownCandidate => ({
  server: textOf(server),
  tool: textOf(tool),
  state: textOf(state) || null,
  eligible: eligible === true,
  ...(typeof reason === 'string' && { reason }),
});

const attemptOf = ({ server, tool, how, code, sent, duration_ms }: JsonObject): ShownAttempt => ({
  server: textOf(server),
  tool: textOf(tool),
  how: textOf(how),
  ...(typeof code === 'string' && { code }),
  sent: sent === true,
  duration_ms: numberOf(duration_ms),
});

const routeOf = (value: unknown): RouteView | null =>
  isObject(value)
    ? {
        name: typeof value.name === 'string' ? value.name : null,
        candidates: listOf(value.candidates).map(candidateOf),
        attempts: listOf(value.attempts).map(attemptOf),
      }
    : null;

/**
 * Whether nobody knows if a call had its effect. An interrupted write to the store was rolled back, so its effect is known;
 * any other effect happens in another server. A cancelled call has no error code, so its attempts decide.
 */
const isUnknown = ({ outcome, code, effect, route }: Omit<CallView, 'unknown'>): boolean =>
  code === 'OUTCOME_UNKNOWN' ||
  route?.attempts.some((one) => one.code === 'OUTCOME_UNKNOWN') === true ||
  ((outcome === 'interrupted' || outcome === 'lost') && effect === 'proxy');

/** Reads a call from `row`: an outcome with its intent, or an intent alone. `alive`: ids of the Colibri processes that run now. */
export const callView = (row: LogRow, alive: ReadonlySet<string>): CallView => {
  const isEnded = row.kind === 'call.exit';
  const exit = isEnded ? parseObject(row.body) : {};
  const enter = isEnded ? parseObject(row.intent ?? '{}') : parseObject(row.body);
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
    began_at: isEnded ? (row.began ?? row.at) : row.at,
    ended_at: isEnded ? row.at : null,
    duration_us: typeof exit.duration_us === 'number' ? exit.duration_us : null,
    client: clientOf(enter.client),
    host: hostOf(enter.host),
    instance,
    subjects: listOf(exit.subjects).map(subjectOf),
    change: changeOf(exit.change),
    route: routeOf(exit.route),
    late: exit.late === true || enter.late === true,
  };
  return { ...call, unknown: isUnknown(call) };
};

/** The last attempt of a call at a server, which decided the answer to the caller. */
export const lastTry = ({ route }: CallView): ShownAttempt | undefined => route?.attempts.at(-1);

/** Whether the call's answer is an error; the outcome `ok` only says that an answer arrived and was recorded. */
export const answeredError = (call: CallView): boolean => call.outcome === 'ok' && lastTry(call)?.how === 'is_error';

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
