// Calls, put together from their intents and outcomes.
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import { numberIn, objectIn, objectsIn, textIn } from './read.js';

export interface CallEntry {
  readonly log: string;
  /** The number of the outcome; of the intent while there is no outcome. */
  readonly seq: number;
  readonly call: string;
  readonly tool: string;
  readonly effect: string;
  /** The recorded outcome; `is_error` if the answer that arrived is an error; `open` if the page has no outcome. */
  readonly outcome: string;
  readonly code: string;
  readonly at: string;
  readonly tookUs: number | undefined;
  readonly client: string;
  readonly agent: string;
  /** The servers that were tried, else those that could have been. */
  readonly servers: readonly string[];
  readonly enter: JsonObject | undefined;
  readonly exit: JsonObject | undefined;
  /** The stored arguments; undefined if they are not in the page. */
  readonly args: JsonObject | undefined;
  /** What was stored beside the outcome: the words of an error, and of attempts that failed before it or before the answer. */
  readonly words: JsonObject | undefined;
}

/** The outcomes that did not end well. */
const WELL: ReadonlySet<string> = new Set(['ok', 'open']);
export const endedBadly = ({ outcome }: Pick<CallEntry, 'outcome'>): boolean => !WELL.has(outcome);

/** Finds a stored text by the number of its record. */
export type TextBeside = (seq: number) => string | undefined;

const lastAttempt = (exit: JsonObject): JsonObject => objectsIn(objectIn(exit.route).attempts).at(-1) ?? {};

const outcomeOf = (exit: JsonObject | undefined): string => {
  if (exit === undefined) return 'open';
  const outcome = textIn(exit.outcome) || '?';
  return outcome === 'ok' && (exit.is_error === true || lastAttempt(exit).how === 'is_error') ? 'is_error' : outcome;
};

const PREFIX = /^(.+?)__./;

const serversOf = (exit: JsonObject | undefined, tool: string, effect: string): readonly string[] => {
  const route = objectIn(exit?.route);
  const named = [...objectsIn(route.attempts), ...objectsIn(route.candidates)].map(({ server }) => textIn(server));
  if (named.length > 0) return [...new Set(named)];
  const [, server] = effect === 'proxy' || effect === '' ? (PREFIX.exec(tool) ?? []) : [];
  return server === undefined ? [] : [server];
};

const textsOf = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : parseObject(text);

const entryOf = (enter: JsonObject | undefined, exit: JsonObject | undefined, beside: TextBeside): CallEntry => {
  const one = exit ?? enter ?? {};
  const tool = textIn(one.tool);
  const effect = textIn(enter?.effect);
  const host = objectIn(enter?.host);
  const args = enter === undefined ? undefined : textsOf(beside(numberIn(enter.seq) ?? -1));
  return {
    log: textIn(one.log),
    seq: numberIn(one.seq) ?? 0,
    call: textIn(one.call),
    tool,
    effect,
    outcome: outcomeOf(exit),
    code: textIn(exit?.code),
    at: textIn((enter ?? one).at),
    tookUs: numberIn(exit?.duration_us),
    client: textIn(objectIn(enter?.client).name),
    agent: textIn(host.agent) || textIn(args?.claim_by) || textIn(args?.agent_id),
    servers: serversOf(exit, tool, effect),
    enter,
    exit,
    args,
    words: exit === undefined ? undefined : textsOf(beside(numberIn(exit.seq) ?? -1)),
  };
};

/** The calls among the records of one log, in the order in which they began. */
export const callsOf = (records: readonly JsonObject[], beside: TextBeside): readonly CallEntry[] => {
  const intents = new Map<number, JsonObject>();
  const outcomes = new Map<number, JsonObject>();
  for (const record of records) {
    const no = numberIn(record.sequence_no) ?? -1;
    if (record.kind === 'call.enter') intents.set(no, record);
    if (record.kind === 'call.exit') outcomes.set(no, record);
  }
  const numbers = [...new Set([...intents.keys(), ...outcomes.keys()])].sort((a, b) => a - b);
  return numbers.map((no) => entryOf(intents.get(no), outcomes.get(no), beside));
};

/** The task and its new state, or the first argument that says something. */
const matterOf = ({ exit, args }: CallEntry): string => {
  const steps = objectsIn(exit?.changes ?? (exit?.change === undefined ? [] : [exit.change]));
  const [first] = steps;
  if (first !== undefined) return `${textIn(first.task_id)} → ${steps.map(({ to }) => textIn(to)).join(' → ')}`;
  const made = objectsIn(exit?.subjects).find(({ type }) => type === 'task');
  if (made !== undefined) return textIn(made.id);
  const said = Object.entries(args ?? {}).find(([, value]) => typeof value === 'string' || typeof value === 'number');
  return said === undefined ? '' : `${said[0]}=${String(said[1])}`;
};

/** The server that answered although it was not the first of its route. */
const fellBack = ({ exit }: CallEntry): string => {
  const route = objectIn(exit?.route);
  const last = objectsIn(route.attempts).at(-1);
  const isFirst = textIn(objectsIn(route.candidates)[0]?.server) === textIn(last?.server);
  return textIn(route.name) === '' || last === undefined || isFirst ? '' : `fell back to ${textIn(last.server)}`;
};

/** What a call was about, the unusual first: the end may be cut. */
export const aboutCall = (call: CallEntry): string =>
  [fellBack(call), matterOf(call)].filter((part) => part !== '').join(', ') || call.servers.join(', ');

/** The words of an error as one text. A server that died may have left lines on stderr. */
const textOfWords = ({ message, data, stderr }: JsonObject): string => {
  const more = data === undefined ? '' : `\ndata: ${JSON.stringify(data)}`;
  const last = textIn(stderr) === '' ? '' : `\n\nlast lines on stderr:\n${textIn(stderr)}`;
  return `${textIn(message)}${more}${last}`;
};

/** The words of the error that a call ended with; empty if they are not in the page. */
export const errorWords = ({ words }: CallEntry): string => textOfWords(words ?? {});

/** What each server had said, with its name, whose answer was not the call's, because another one of the route was asked, too. */
export const attemptWords = ({ exit, words }: CallEntry): readonly string[] => {
  const attempts = objectsIn(objectIn(exit?.route).attempts);
  return objectsIn(words?.attempts).map(
    (one) => `${textIn(attempts[numberIn(one.attempt) ?? -1]?.server) || '?'}: ${textOfWords(one)}`,
  );
};
