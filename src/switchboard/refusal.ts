// The refusals that a caller gets instead of an answer of another server's tool: a plain sentence for the model, the error object as JSON
// text, and the same object in `_meta`. It is not in `structuredContent`, which clients check against the tool's output schema even on errors.

import { type Answer, REFUSAL_KEY, type RefusalBody, type RefusalResult } from '../call/answer.js';
import type { ProxiedTool } from '../call/context.js';
import { CORE_LIMITS } from '../core/limits.js';
import { logsCommand } from '../core/logs-command.js';
import { RPC } from '../core/rpc-codes.js';
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import type { RefusalReason } from './health/permits.js';
import type { Health } from './health/state.js';
import { SWITCHBOARD_LIMITS } from './limits.js';
import type { ToolChanged } from './tool-change.js';

/** A tool, named by its server and by the name that the server gives it. */
export interface ToolPlace {
  readonly server: string;
  readonly tool: string;
}

/** Another tool that could serve the call. */
export interface Alternative extends ToolPlace {
  /** The tool's public name, if the tool is listed. */
  readonly name?: string | undefined;
}

/** Makes a text from outside well-formed Unicode and cuts it to `chars` characters. */
export const shortened = (text: string, chars: number): string => {
  const whole = text.toWellFormed();
  return whole.length <= chars ? whole : `${whole.slice(0, chars - 1).toWellFormed()}…`;
};

/** Makes a text from outside fit into a sentence of Colibri: well formed, on one line, not too long. */
const clean = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  shortened(text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' '), CORE_LIMITS.messageChars);

const cleanPlace = ({ server, tool }: ToolPlace): ToolPlace => ({ server: clean(server), tool: clean(tool) });

/** Makes the result for a refused call of another server's tool or of a route. */
export const refusalResult = (sentence: string, error: RefusalBody): RefusalResult => {
  const envelope = { ok: false, error: { ...error, message: clean(error.message) } } as const;
  return {
    isError: true,
    content: [
      { type: 'text', text: clean(sentence) },
      { type: 'text', text: canonicalJson(envelope) },
    ],
    _meta: { [REFUSAL_KEY]: envelope },
  };
};

/** Returns a function that makes a tool's result from an error of Colibri. `place` names the tool or route; it is added to `details`. */
export const refusingAs =
  (place: JsonObject): ProxiedTool['refusal'] =>
  ({ code, message, details }) => ({
    ...refusalResult(message, { code, message, details: { ...place, ...details } }),
  });

const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`;

/** Shortens a text so that a sentence of it and what stands before and after it is not cut: what to do comes last in a sentence. */
export const fittedBetween = (head: string, text: string, tail: string): string =>
  shortened(text, Math.max(LEAST_CHARS, CORE_LIMITS.messageChars - head.length - tail.length));

/** The fewest characters of a reason that say something. */
const LEAST_CHARS = 20;

export interface Unavailable extends ToolPlace {
  /** What was asked for, in words, if that is not a tool. */
  readonly what?: string | undefined;
  /** The health state of the server; null if the server was removed from the configuration. */
  readonly state: Health | null;
  readonly reason: RefusalReason;
  /** The reason for the server's state, in words. */
  readonly text: string;
  readonly retryAfterMs: number | null;
  /** How often in a row the server failed to start for the same reason, if a person should look at it. */
  readonly failedStarts?: number | undefined;
  readonly alternatives: readonly Alternative[];
}

/** What a model should tell the user about a server that does not start. */
export const tellUser = (server: string): string =>
  `Tell the user that ${server} does not start and that this command shows why: ${logsCommand(server)}`;

const advice = ({ retryAfterMs, alternatives, failedStarts, server }: Unavailable): string => {
  const when =
    retryAfterMs === null ? 'Trying again will not help until a person acts' : `Try again in ${seconds(retryAfterMs)}`;
  const others = alternatives.map(({ server, tool, name }) => name ?? `${tool} of ${server}`).join(', ');
  if (failedStarts === undefined) return others === '' ? `${when}.` : `${when}, or use ${others}.`;
  return `${when}.${others === '' ? '' : ` Use ${others} instead.`} ${tellUser(server)}`;
};

/** The refusal of a call whose server may not get calls now. The call was not sent. */
export const toolUnavailable = (refused: Unavailable): RefusalResult => {
  const place = cleanPlace(refused);
  const alternatives = refused.alternatives.map((one) => ({ ...cleanPlace(one), ...(one.name && { name: one.name }) }));
  const text = clean(refused.text);
  const head = `${clean(refused.what ?? `The tool ${place.tool}`)} of ${place.server} is not available: `;
  const tail = `. ${advice({ ...refused, ...place, alternatives })}`;
  return refusalResult(`${head}${fittedBetween(head, text, tail)}${tail}`, {
    code: 'TOOL_UNAVAILABLE',
    status: 503,
    message: `503 Service Unavailable (Tool: ${place.server})`,
    details: {
      ...place,
      state: refused.state,
      reason: refused.reason,
      retry_after_ms: refused.retryAfterMs === null ? null : Math.ceil(refused.retryAfterMs),
      alternatives,
      ...(refused.failedStarts !== undefined && {
        failed_starts: refused.failedStarts,
        text, // the router tools show the details and not the sentence
        remedy: tellUser(place.server),
      }),
    },
  });
};

/** The refusal of a call because other calls wait for the server. The call was not sent. `waiting`: how many, if they are too many. */
export const toolBusy = (place: ToolPlace, waiting?: number): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const retryAfterMs = SWITCHBOARD_LIMITS.serverBusyRetryMs;
  const calls = waiting === undefined ? 'other calls' : `${waiting} calls`;
  return refusalResult(
    `The tool ${tool} of ${server} was not called: ${calls} already wait for this server. Try again in ${seconds(retryAfterMs)}.`,
    {
      code: 'TOOL_BUSY',
      message: `${calls} wait for ${server}`,
      details: { server, tool, waiting: waiting ?? null, retry_after_ms: retryAfterMs },
    },
  );
};

/** The refusal of a call of a tool that is not what a person approved. Nothing was sent. */
export const toolChanged = (place: ToolPlace, { what, before, after }: ToolChanged): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const isNew = before === null;
  const changed = clean(what.join(', '));
  const words = isNew
    ? 'appeared after the tools of the server were approved'
    : `changed since it was approved (${changed})`;
  return refusalResult(
    `The tool ${tool} of ${server} ${words}, so it was not called. Tell the user to look at it with: colibri switchboard approve ${server}`,
    {
      code: 'TOOL_CHANGED',
      message: isNew ? 'the tool is new and was not approved' : `the tool changed: ${changed}`,
      details: { server, tool, what, before, after },
    },
  );
};

/** The refusal of a call that needs a person's yes. `known`: the approval that was asked for; undefined if nobody can be asked this way. */
export const approvalRequired = (
  place: ToolPlace,
  known: { readonly approvalId: string; readonly expiresAt: string } | undefined,
  hasCommand: boolean,
): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const how =
    known === undefined
      ? 'This client cannot ask a person, and the switchboard file names no other way ("ask.via").'
      : hasCommand
        ? `The user can allow it in a terminal of their own with: colibri approve ${known.approvalId}.`
        : 'The user was asked in the client and has not said yes.';
  const after = known === undefined ? '' : ' After a yes, call again with the same arguments.';
  return refusalResult(`A call of ${tool} of ${server} needs the yes of a person; it was not called. ${how}${after}`, {
    code: 'APPROVAL_REQUIRED',
    message: 'a person must allow this call',
    details: { server, tool, approval_id: known?.approvalId ?? null, expires_at: known?.expiresAt ?? null, how },
  });
};

/** Of a call that needed no yes when it came. */
export const approvalRequiredSince = (place: ToolPlace): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const how = 'It came to need that while the call waited. Call again with the same arguments: then a person is asked.';
  return refusalResult(`A call of ${tool} of ${server} needs the yes of a person; it was not called. ${how}`, {
    code: 'APPROVAL_REQUIRED',
    message: 'a person must allow this call',
    details: { server, tool, approval_id: null, expires_at: null, how },
  });
};

/** A round in which voters decide about a call, and how far it is. */
export interface AskedRound {
  readonly approvalId: string;
  readonly expiresAt: string;
  readonly roundId: string;
  readonly voters: readonly string[];
  readonly need: number;
  readonly state: 'open' | 'unsigned' | 'broken';
}

const ROUND_SAYS: Readonly<Record<AskedRound['state'], (round: AskedRound) => string>> = {
  open: ({ roundId, voters, need }) =>
    `Round ${roundId} asks ${clean(voters.join(', '))}; ${need} of them must approve, each with consensus_vote in a process of its own.`,
  unsigned: ({ roundId }) =>
    `The voters of round ${roundId} approved; that counts once the log is signed, within a minute.`,
  broken: ({ roundId }) =>
    `What the store says of round ${roundId} is not what was signed, so it opens nothing. Tell the user: colibri verify`,
};

/** The refusal of a call that several voters must allow. */
export const votesRequired = (place: ToolPlace, round: AskedRound): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const how = ROUND_SAYS[round.state](round);
  const after = round.state === 'broken' ? '' : ' Then call again with the same arguments.';
  return refusalResult(`A call of ${tool} of ${server} needs the votes of several; it was not called. ${how}${after}`, {
    code: 'APPROVAL_REQUIRED',
    message: 'several voters must allow this call',
    details: {
      ...{ server, tool, approval_id: round.approvalId, expires_at: round.expiresAt, how },
      ...{ round_id: round.roundId, need: round.need, voters: round.voters },
    },
  });
};

/** The refusal of a call whose quorum names voters that nobody enrolled. */
export const votersMissing = (place: ToolPlace, missing: readonly string[]): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const names = clean(missing.join(', '));
  return refusalResult(
    `A call of ${tool} of ${server} needs votes, and the switchboard file names voters that nobody enrolled: ${names}. It was not called. Tell the user: colibri voters add ${missing[0]}`,
    {
      code: 'CONFIG_INVALID',
      message: `"ask.quorum" of ${server} names voters that nobody enrolled: ${names}`,
      details: { server, tool, missing },
    },
  );
};

/** The refusal of a call to which a person said no. */
export const approvalDenied = (
  place: ToolPlace,
  denied: { readonly approvalId: string; readonly reason: string | null; readonly expiresAt: string },
): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const why = denied.reason === null ? '' : `: ${clean(denied.reason)}`;
  return refusalResult(
    `The user said no to this call of ${tool} of ${server}${why}. Do not try it again; ask the user what to do instead.`,
    {
      code: 'APPROVAL_DENIED',
      message: 'a person denied this call',
      details: { server, tool, approval_id: denied.approvalId, reason: denied.reason, expires_at: denied.expiresAt },
    },
  );
};

/** The refusal of a call that needs a yes, while the store that keeps approvals cannot be used. */
export const approvalUnavailable = (place: ToolPlace): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  return refusalResult(
    `A call of ${tool} of ${server} needs the yes of a person, and the store that keeps approvals cannot be used now; it was not called. Try again later.`,
    { code: 'STORE_UNAVAILABLE', message: 'approvals cannot be kept now', details: { server, tool } },
  );
};

/** The refusal of a read-only call that got no answer in time: it is safe to send the call again. */
export const toolTimeout = (place: ToolPlace, timeoutMs: number): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  return refusalResult(
    `The tool ${tool} of ${server} gave no answer within ${seconds(timeoutMs)}. It changes nothing, so it is safe to try again.`,
    {
      code: 'TOOL_TIMEOUT',
      message: `no answer within ${timeoutMs} ms`,
      details: { server, tool, timeout_ms: timeoutMs, safe_to_retry: true },
    },
  );
};

/** The refusal of a read-only call that was cut short, because another server could serve it sooner. It is safe to send the call again. */
export const toolCut = (place: ToolPlace, waitedMs: number): RefusalResult => {
  const { server, tool } = cleanPlace(place);
  const waited = Math.round(waitedMs);
  return refusalResult(
    `The tool ${tool} of ${server} gave no answer within ${seconds(waited)}, and another server was asked instead. It changes nothing, so it is safe to try again.`,
    {
      code: 'TOOL_TIMEOUT',
      message: `no answer within ${waited} ms; another server was asked instead`,
      details: { server, tool, waited_ms: waited, safe_to_retry: true },
    },
  );
};

export interface Unknown extends ToolPlace {
  /** The wall-clock time at which the call was sent, in the form that records use. */
  readonly sentAt: string;
  /** Why the call has no answer. */
  readonly how: 'timeout' | 'cancelled' | 'lost' | 'server_error';
}

const HOW: Readonly<Record<Unknown['how'], string>> = {
  timeout: 'no answer came in time',
  cancelled: 'the call was cancelled',
  lost: 'the connection was lost',
  server_error: 'the server failed',
};

/** The refusal of a call that was sent and may have taken effect, so it is not safe to send it again. */
export const outcomeUnknown = (unknown: Unknown): RefusalResult => {
  const { server, tool } = cleanPlace(unknown);
  return refusalResult(
    `The tool ${tool} of ${server} was called, but ${HOW[unknown.how]}: it may or may not have done its work. Look before you call it again.`,
    {
      code: 'OUTCOME_UNKNOWN',
      message: `sent, but ${HOW[unknown.how]}`,
      details: { server, tool, sent_at: unknown.sentAt, how: unknown.how, safe_to_retry: false },
    },
  );
};

/** The answer to a client that sends a `requestState` which Colibri did not make, or no longer knows. */
export const INVALID_STATE: Answer = {
  kind: 'error',
  error: {
    code: RPC.invalidParams,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  },
};
