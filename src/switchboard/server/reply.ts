// The reply to the caller of another server's tool. The server's answer is passed on unchanged; if there is none, the reply says
// whether the call was sent and whether it is safe to send it again.
import {
  type Answer,
  REFUSAL_KEY,
  type RefusalResult,
  type Refused,
  type TriedAnswer,
  type Try,
} from '../../call/answer.js';
import type { AttemptEnd } from '../../proof/switchboard-records.js';
import { isoTime } from '../board.js';
import type { Denied } from '../health/permits.js';
import type { LinkAnswer, LinkEnd } from '../link/link.js';
import {
  type Alternative,
  outcomeUnknown,
  refusalResult,
  type ToolPlace,
  toolBusy,
  toolTimeout,
  toolUnavailable,
  type Unknown,
} from '../refusal.js';
import type { Entrance } from './queue.js';
import type { Safety } from './stored-catalogue.js';

/** One attempt to send a call to its server, and how the attempt ended. */
export type Attempt =
  | Exclude<Entrance, { readonly turn: unknown }>
  | { readonly answer: LinkAnswer; readonly sentWallMs: number; readonly safety: Safety };

export type SentAttempt = Extract<Attempt, { readonly answer: unknown }>;

export interface AskedCall {
  readonly place: ToolPlace;
  readonly timeoutMs: number;
  readonly alternatives: () => readonly Alternative[];
}

const unavailable = ({ place, alternatives }: AskedCall, denied: Omit<Denied, 'may'>, state: Attempt): Refused => ({
  kind: 'refused',
  code: 'TOOL_UNAVAILABLE',
  sent: false,
  refusal: toolUnavailable({
    ...place,
    state: 'state' in state ? state.state : 'HEALTHY',
    reason: denied.reason,
    text: denied.text,
    retryAfterMs: denied.retryAfterMs,
    alternatives: alternatives(),
  }),
});

const CANCELLED_WORDS = 'The client cancelled the call.';

const cancelled = ({ place }: AskedCall, sent: boolean): Refused => ({
  kind: 'refused',
  code: 'cancelled',
  sent,
  refusal: refusalResult(CANCELLED_WORDS, {
    code: 'HANDLER_ERROR',
    message: CANCELLED_WORDS,
    details: wellFormed(place),
  }),
});

const wellFormed = ({ server, tool }: ToolPlace): Readonly<Record<string, unknown>> => ({
  server: server.toWellFormed(),
  tool: tool.toWellFormed(),
});

/** The refusal if the configuration does not offer the tool (`tools.allow`, `tools.deny`). */
export const notOffered = (place: ToolPlace): Answer => ({
  kind: 'refused',
  code: 'TOOL_NOT_FOUND',
  sent: false,
  refusal: refusalResult(`There is no tool ${place.tool} of ${place.server} here.`, {
    code: 'TOOL_NOT_FOUND',
    message: 'There is no tool of that name.',
    details: wellFormed(place),
  }),
});

const safeToRetry = ({ place, timeoutMs }: AskedCall, how: Unknown['how']): RefusalResult => {
  const timedOut = toolTimeout(place, timeoutMs);
  if (how === 'timeout') return timedOut;
  const { code, details } = timedOut._meta[REFUSAL_KEY].error;
  const { server, tool } = place;
  const words = how === 'lost' ? 'the connection was lost' : 'the server failed';
  return refusalResult(
    `The tool ${tool} of ${server} was called, but ${words}. It changes nothing, so it is safe to try again.`,
    { code, message: `sent, but ${words}`, details: { ...details, how } },
  );
};

/** The reply to a call that was sent and got no answer: safe to repeat only if the tool is read-only. */
const unanswered = (asked: AskedCall, { safety, sentWallMs }: SentAttempt, how: Unknown['how']): Refused => {
  const basis = { kind: 'refused', sent: true } as const;
  if (!safety.readOnly)
    return {
      ...basis,
      code: 'OUTCOME_UNKNOWN',
      refusal: outcomeUnknown({ ...asked.place, sentAt: isoTime(sentWallMs), how }),
    };
  return how === 'cancelled'
    ? cancelled(asked, true)
    : { ...basis, code: 'TOOL_TIMEOUT', refusal: safeToRetry(asked, how) };
};

/** The reason of the refusal if the connection did not send the call. */
const NOT_TAKEN: Omit<Denied, 'may'> = { reason: 'call_failures', text: 'it did not take the call', retryAfterMs: 0 };

/** The reason if the server turned the call away. Servers answer HTTP 401, 403 and 429 before they look at the call: it counts as not sent. */
const turnedAway = (end: LinkEnd): Omit<Denied, 'may'> => {
  if (end.how === 'auth_required')
    return { reason: 'auth_required', text: `it wants credentials (HTTP ${end.status})`, retryAfterMs: null };
  if (end.how === 'throttled')
    return { reason: 'throttled', text: 'it asks for a pause', retryAfterMs: end.retryAfterMs ?? 0 };
  return NOT_TAKEN;
};

const ofAnswer = (asked: AskedCall, attempt: SentAttempt): Answer => {
  const { end, sent } = attempt.answer;
  switch (end.how) {
    case 'response':
      return 'result' in end ? { kind: 'result', result: end.result } : { kind: 'error', error: end.error };
    case 'auth_required':
    case 'throttled':
      return unavailable(asked, turnedAway(end), attempt);
    case 'cancelled':
      return sent ? unanswered(asked, attempt, end.how) : cancelled(asked, false);
    case 'timeout':
    case 'lost':
    case 'server_error':
      return sent ? unanswered(asked, attempt, end.how) : unavailable(asked, turnedAway(end), attempt);
  }
};

const ofRefusal = (asked: AskedCall, attempt: Exclude<Attempt, SentAttempt>): Refused => {
  if ('denied' in attempt) return unavailable(asked, attempt.denied, attempt);
  if ('busy' in attempt)
    return { kind: 'refused', code: 'TOOL_BUSY', sent: false, refusal: toolBusy(asked.place, attempt.busy) };
  return cancelled(asked, false);
};

/** The reply after an attempt. `earlier`: the attempt before, if it was sent; the reply must then not say that nothing was sent. */
export const answerTo = (asked: AskedCall, attempt: Attempt, earlier?: SentAttempt): Answer => {
  const reply = 'answer' in attempt ? ofAnswer(asked, attempt) : ofRefusal(asked, attempt);
  if (earlier === undefined || reply.kind !== 'refused' || reply.sent) return reply;
  return reply.code === 'cancelled' && earlier.safety.readOnly
    ? cancelled(asked, true)
    : unanswered(asked, earlier, 'lost');
};

const howOf = (end: LinkEnd): AttemptEnd => {
  if (end.how === 'auth_required' || end.how === 'throttled') return 'refused';
  if (end.how !== 'response') return end.how;
  if ('error' in end) return 'error';
  if (end.result.resultType === 'input_required') return 'input';
  return end.result.isError === true ? 'is_error' : 'result';
};

export const tryOf = (attempt: Attempt, durationMs: number): Try => {
  if (!('answer' in attempt)) return { how: 'cancelled' in attempt ? 'cancelled' : 'refused', sent: false, durationMs };
  const { end, sent } = attempt.answer;
  const isTurnedAway = end.how === 'auth_required' || end.how === 'throttled';
  return { how: howOf(end), sent: sent && !isTurnedAway, durationMs };
};

const codeOf = (reply: Answer): string | undefined => {
  if (reply.kind === 'result' || reply.kind === 'input') return undefined;
  if (reply.kind === 'error') return String(reply.error.code);
  return reply.code === 'cancelled' ? undefined : reply.code;
};

/** Adds the attempts to a reply. The last attempt, which decided, gets the reply's code. */
export const withTries = (reply: Answer, tries: readonly Try[]): TriedAnswer => {
  if (reply.kind === 'result') return { kind: 'result', result: reply.result, tries };
  const code = codeOf(reply);
  const last = tries.at(-1);
  const isCoded = code !== undefined && last !== undefined;
  return { ...reply, tries: isCoded ? [...tries.slice(0, -1), { ...last, code }] : tries };
};
