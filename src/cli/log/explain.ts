// `colibri log --explain`: says in sentences why a call was routed, refused or rejected. It uses only what is recorded: the call's
// error code, the servers that its route tried, and the health records before the call.
import { parseObject } from '../../proof/canonical-json.js';
import type { AttemptEnd } from '../../proof/switchboard-records.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import {
  type CallView,
  callView,
  errorRow,
  lastTry,
  type ShownAttempt,
  type ShownCandidate,
  serversOf,
  textOf,
  wholeBody,
} from '../records/call-view.js';
import type { LogRow } from '../records/log-repository.js';
import { lastBefore } from '../records/log-walk.js';
import {
  errorWordsAt,
  mayHaveWords,
  quotedLines,
  WORDS_GONE,
  WORDS_NOT_KEPT,
  type WordsView,
  wordsText,
} from '../records/words.js';
import { stamp, took } from '../screen/time.js';
import type { PlaceName } from './line.js';
import type { FoundRecord } from './record.js';

/** The change of a server's health that led to the server's state during the call. */
const standingOf = (server: string, row: LogRow) => {
  const { seq, at } = row;
  const { from, to, cause, detail } = wholeBody(row);
  return {
    server,
    seq,
    at,
    from: textOf(from),
    to: textOf(to) || null,
    cause: textOf(cause),
    detail: textOf(detail) || null,
  };
};

export const explain = async (tx: ReadTx, { log, row }: FoundRecord, alive: ReadonlySet<string>) => {
  const call = callView(row, alive);
  const { instance } = call;
  const boot = instance === null ? undefined : await lastBefore(tx, log, row.id, 'boot', { instance });
  const health: { readonly server: string; readonly standing: ReturnType<typeof standingOf> | null }[] = [];
  // A rejected call never reached a server.
  const servers = call.outcome === 'rejected' ? [] : serversOf(call);
  for (const server of servers.slice(0, CLI_LIMITS.explainedServers)) {
    const last = instance === null ? undefined : await lastBefore(tx, log, row.id, 'health', { instance, server });
    health.push({ server, standing: last === undefined ? null : standingOf(server, last) });
  }
  return {
    call,
    /** The mode of the Colibri process that served the call; null if the process's boot record is too far back to be searched. */
    mode: boot === undefined ? null : textOf(parseObject(boot.body).mode),
    /** The servers that the call could use, each with its newest health record before the call ended. */
    health,
    /** What was said about the error. */
    words: await errorWordsAt(tx, row),
  };
};

export type Explanation = Awaited<ReturnType<typeof explain>>;

const INTERRUPTED: Readonly<Record<string, string>> = {
  write:
    'The Colibri process died before the call ended. A write and its outcome are committed together, so nothing was written.',
  read: 'The Colibri process died before the call ended. The tool only reads, so nothing was changed.',
  proxy:
    'The Colibri process died before the call ended. The MCP server may or may not have done the work: check before you call the tool again.',
};
const SENT_BEFORE =
  'The call had been sent: the MCP server may or may not have done the work, so check before you call the tool again.';
const INTERRUPTED_OTHER =
  'The Colibri process died before the call ended. Whether the call had any effect is not known.';

const OUTCOMES: Readonly<Record<string, (call: CallView) => string>> = {
  ok: (call) =>
    call.is_error
      ? `${lastTry(call)?.server} received the call of ${call.tool}, and the server answered with an error (isError). The recorded outcome is ok because an answer arrived.`
      : `${call.tool} succeeded.`,
  domain_error: ({ tool }) => `${tool} ran and returned an error.`,
  rejected: ({ tool }) => `Colibri rejected the call: ${tool} did not run.`,
  refused: ({ tool }) => `Colibri refused the call: ${tool} did not run.`,
  failed: ({ tool }) => `${tool} failed.`,
  cancelled: ({ tool, unknown }) =>
    unknown ? `The client cancelled ${tool}. ${SENT_BEFORE}` : `The client cancelled ${tool}.`,
  interrupted: ({ effect }) => INTERRUPTED[effect ?? ''] ?? INTERRUPTED_OTHER,
  running: ({ tool }) =>
    `${tool} is running: the Colibri process of this call is alive and has not recorded an outcome yet.`,
  lost: ({ effect }) =>
    `${INTERRUPTED[effect ?? ''] ?? INTERRUPTED_OTHER} The next server that starts will record the call as interrupted.`,
};

const RETRY: Readonly<Record<string, string>> = {
  no: 'Calling the tool again in the same way will not help.',
  later: 'The tool can be called again later.',
  'after a change': 'The tool can be called again after something has changed.',
};
const LOOK_FIRST = 'Check whether the work was done before you call the tool again.';

const codeSentences = ({ code }: CallView): string[] => {
  if (code === null) return [];
  const row = errorRow(code);
  if (row === undefined) return [`The code is ${code}.`];
  const retry = code === 'OUTCOME_UNKNOWN' ? LOOK_FIRST : (RETRY[row.retry] ?? '');
  return [`${code}: ${row.meaning} ${retry}`];
};

const modeSentences = ({ call, mode }: Explanation): string[] =>
  call.code === 'TOOL_NOT_ADMITTED' && mode !== null ? [`The Colibri process of this call runs in mode ${mode}.`] : [];

/** Clauses for the reasons, other than a server's state, why a server was not called. */
const OBSTACLES: Readonly<Record<string, string>> = {
  disabled: 'it is disabled',
  not_found: 'it has no such tool',
  arguments: 'the arguments do not fit it',
};

const candidateSentence = (
  { server, tool, state, eligible, reason }: ShownCandidate,
  i: number,
  tries: readonly ShownAttempt[],
): string => {
  const why = reason === undefined ? '' : ` (${OBSTACLES[reason] ?? reason})`;
  const wasSent = tries.some((one) => one.sent && one.server === server && one.tool === tool);
  const may = eligible ? 'may get calls' : 'may not get calls';
  const what = state === 'STARTING' && wasSent ? 'the call waited for it and then was sent' : `${may}${why}`;
  return `${i + 1}. ${tool} of ${server}: ${state ?? 'not there'}, ${what}.`;
};

const HOW = {
  result: 'it answered',
  is_error: 'it returned an error',
  error: 'it answered with a protocol error',
  input: 'it asked the client for input',
  refused: 'it did not accept the call',
  timeout: 'no answer came in time',
  lost: 'the connection was lost',
  server_error: 'the server failed',
  cancelled: 'the call was cancelled',
  cut: 'no answer came for so long that the next server was asked instead',
} as const satisfies Record<AttemptEnd, string>;

const howWords = (how: string): string => (Object.hasOwn(HOW, how) ? HOW[how as AttemptEnd] : how);

const attemptSentence = ({ server, tool, how, code, sent, duration_ms }: ShownAttempt, i: number): string =>
  `Try ${i + 1}: ${tool} of ${server}, ${sent ? 'sent' : 'nothing was sent'}; ${howWords(how)}${code === undefined ? '' : ` (${code})`}, after ${took(Math.round(duration_ms * 1_000))}.`;

/** What the server of an attempt had said, if another one was asked after it. */
const saidAt = (words: WordsView, { server }: ShownAttempt, attempt: number): string[] => {
  const found = words.kept === 'stored' ? words.attempts?.find((one) => one.attempt === attempt) : undefined;
  return found === undefined ? [] : quotedLines(`${server}: ${wordsText(found)}`);
};

const routeSentences = ({ call: { route }, words }: Explanation): string[] => {
  if (route === null) return [];
  const asked =
    route.name === null
      ? 'The call was meant for one server:'
      : `The route ${route.name} names these tools, in this order:`;
  const tries = route.attempts.flatMap((one, i) => [attemptSentence(one, i), ...saidAt(words, one, i)]);
  return [
    asked,
    ...(route.candidates.length > 0
      ? route.candidates.map((one, i) => candidateSentence(one, i, route.attempts))
      : ['No server was considered.']),
    ...(tries.length > 0 ? tries : ['No server was tried.']),
  ];
};

/** The event that led to each state of a server, for health records without a reason. */
const EVENTS: Readonly<Record<string, string>> = {
  dialled: 'Colibri connected to it and listed its tools',
  call_answered: 'it answered the trial request',
  check_passed: 'a check passed',
  tick: 'its waiting time was over',
  connection_changed: 'its configuration changed',
  lost: 'its connection was lost',
  removed: 'it was taken out of the configuration',
};

const healthSentence = ({ server, standing }: Explanation['health'][number], log: string, place: PlaceName): string => {
  if (standing === null) {
    return `There is no health record of ${server} shortly before this call: its state had not changed since it started.`;
  }
  const { seq, at, from, to, cause, detail } = standing;
  const because = detail === null ? (EVENTS[cause] ?? cause) : `${cause}, ${detail}`;
  return `${server} was ${to ?? 'removed'} since ${stamp(at)} (record ${place(log, seq)}, from ${from}): ${because}.`;
};

/** What was said about the error, and what the server wrote before it ended; or why there are no words. */
const wordSentences = ({ call, words }: Explanation): string[] => {
  if (words.kept === 'none') return mayHaveWords(call) ? [WORDS_NOT_KEPT] : [];
  if (words.kept === 'gone') return [WORDS_GONE];
  return [
    ...(words.message === undefined ? [] : ['The caller was told:', ...quotedLines(words.message)]),
    ...(words.data === undefined ? [] : ['with this data:', ...quotedLines(words.data)]),
    ...(words.stderr === undefined ? [] : ['The server had written to stderr:', ...quotedLines(words.stderr)]),
  ];
};

export const explanationLines = (explanation: Explanation, placeName: PlaceName): string[] => {
  const { call, health } = explanation;
  const outcome = OUTCOMES[call.outcome]?.(call) ?? `The outcome is ${call.outcome || 'not readable'}.`;
  return [
    outcome,
    ...codeSentences(call),
    ...modeSentences(explanation),
    ...routeSentences(explanation),
    ...health.map((one) => healthSentence(one, call.log, placeName)),
    ...wordSentences(explanation),
  ];
};
