// Reads a call from its two records, start (intent) and outcome. Anybody may have changed the store, so every member is checked.
import { ERRORS, type ErrorCode } from '../../errors.js';
import { isObject, type JsonObject, parseObject } from '../../proof/canonical-json.js';
import type { LogRow } from './log-repository.js';

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
const textOrNull = (value: unknown): string | null => textOf(value) || null;
const textIfAny = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const isTrue = (value: unknown): boolean => value === true;

/** Makes a reader of objects that reads each member with the function of its name. */
const members =
  <S extends Readonly<Record<string, (value: unknown) => unknown>>>(shape: S) =>
  (value: JsonObject) =>
    Object.fromEntries(Object.entries(shape).map(([key, read]) => [key, read(value[key])])) as {
      readonly [K in keyof S]: ReturnType<S[K]>;
    };

const orNull =
  <T>(read: (value: JsonObject) => T) =>
  (value: unknown): T | null =>
    isObject(value) ? read(value) : null;

const each =
  <T>(read: (value: JsonObject) => T) =>
  (value: unknown): readonly T[] =>
    Array.isArray(value) ? value.filter(isObject).map(read) : [];

const clientOf = orNull(members({ name: textOf, version: textOf, protocol: textOf }));
const hostOf = orNull(
  (host): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(host).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
);
const subjectsOf = each(members({ type: textOf, id: textOf, rev: numberOf }));
const changeOf = orNull(
  members({
    task_id: textOf,
    from: textOf,
    to: textOf,
    version: numberOf,
    attempt: numberOf,
    because: textIfAny,
  }),
);
const providerShape = { server: textOf, tool: textOf };
/** A server that could answer a call. Its state is that of the moment when the call was routed; null if there was no such server. */
const candidateOf = members({ ...providerShape, state: textOrNull, eligible: isTrue, reason: textIfAny });
const attemptOf = members({ ...providerShape, how: textOf, code: textIfAny, sent: isTrue, duration_ms: numberOf });
/** The servers that could answer a call and the attempts at them. The name is null if the tool of one server was called directly. */
const routeOf = orNull(members({ name: textOrNull, candidates: each(candidateOf), attempts: each(attemptOf) }));

export type ShownCandidate = ReturnType<typeof candidateOf>;
export type ShownAttempt = ReturnType<typeof attemptOf>;

/**
 * Whether nobody knows if a call had its effect. An interrupted write to the store was rolled back, so its effect is known;
 * any other effect happens in another server. A cancelled call has no error code, so its attempts decide.
 */
const isUnknown = (
  route: ReturnType<typeof routeOf>,
  { outcome, code, effect }: Readonly<Record<'outcome' | 'code' | 'effect', string | null>>,
): boolean =>
  code === 'OUTCOME_UNKNOWN' ||
  route?.attempts.some((one) => one.code === 'OUTCOME_UNKNOWN') === true ||
  ((outcome === 'interrupted' || outcome === 'lost') && effect === 'proxy');

/** Reads a call from `row`: an outcome with its intent, or an intent alone. `alive`: ids of the Colibri processes that run now. */
export const callView = (row: LogRow, alive: ReadonlySet<string>) => {
  const isEnded = row.kind === 'call.exit';
  const exit = isEnded ? parseObject(row.body) : {};
  const enter = isEnded ? parseObject(row.intent ?? '{}') : parseObject(row.body);
  const instance = textOrNull(enter.instance);
  const open = instance !== null && alive.has(instance) ? 'running' : 'lost';
  const call = {
    log: row.log_id,
    /** The number of the call's outcome record; while there is none, the number of the intent record. */
    seq: row.seq,
    /** The number of the intent record, which is written before the call runs. */
    sequence_no: numberOf(isEnded ? exit.sequence_no : row.seq),
    call: textOf(isEnded ? exit.call : enter.call),
    tool: textOf(isEnded ? exit.tool : enter.tool),
    effect: textOrNull(enter.effect),
    /** The recorded outcome; if there is none, `running` if the Colibri process that serves the call is alive, else `lost`. */
    outcome: isEnded ? textOf(exit.outcome) : open,
    code: textOrNull(exit.code),
    unknown: false,
    began_at: isEnded ? (row.began ?? row.at) : row.at,
    ended_at: isEnded ? row.at : null,
    duration_us: typeof exit.duration_us === 'number' ? exit.duration_us : null,
    client: clientOf(enter.client),
    host: hostOf(enter.host),
    instance,
    subjects: subjectsOf(exit.subjects),
    change: changeOf(exit.change),
    route: routeOf(exit.route),
    late: exit.late === true || enter.late === true,
  };
  return { ...call, unknown: isUnknown(call.route, call) };
};

export type CallView = Readonly<ReturnType<typeof callView>>;

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
