// Makes the reply to the caller of another server's tool if the server gave no answer. The reply says whether the call was sent and whether
// it is safe to send it again.
import { type LastWords, REFUSAL_KEY, type RefusalResult, type Refused } from '../../call/answer.js';
import type { Denied } from '../health/permits.js';
import type { LinkAnswer, LinkEnd } from '../link/link.js';
import {
  type Alternative,
  outcomeUnknown,
  refusalResult,
  type ToolPlace,
  toolBusy,
  toolCut,
  toolTimeout,
  toolUnavailable,
  type Unknown,
} from '../refusal.js';
import type { Entrance } from './queue.js';
import type { Safety } from './stored-catalogue.js';

/** One attempt to send a call to its server, and how the attempt ended. */
export type Attempt =
  | Exclude<Entrance, { readonly turn: unknown }>
  | { readonly refused: Refused }
  | { readonly answer: LinkAnswer; readonly sentWallMs: number; readonly safety: Safety };

export type SentAttempt = Extract<Attempt, { readonly answer: unknown }>;

type NoResponse = Exclude<LinkEnd, { readonly how: 'response' }>;

/** An attempt to send a call to a server, to which the server gave no answer. */
export type Unanswered =
  | Exclude<Attempt, SentAttempt>
  | (SentAttempt & { readonly answer: { readonly end: NoResponse } });

export interface AskedCall {
  readonly place: ToolPlace;
  /** What was asked for, in words, if that is not a tool. */
  readonly what?: string | undefined;
  readonly timeoutMs: number;
  readonly alternatives: () => readonly Alternative[];
}

const unavailable = (
  { place, what, alternatives }: AskedCall,
  denied: Omit<Denied, 'may'>,
  state: Attempt,
): Refused => ({
  kind: 'refused',
  code: 'TOOL_UNAVAILABLE',
  sent: false,
  refusal: toolUnavailable({
    ...place,
    what,
    state: 'state' in state ? state.state : 'HEALTHY',
    reason: denied.reason,
    text: denied.text,
    retryAfterMs: denied.retryAfterMs,
    failedStarts: denied.failedStarts,
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
export const notOffered = (place: ToolPlace): Refused => ({
  kind: 'refused',
  code: 'TOOL_NOT_FOUND',
  sent: false,
  refusal: refusalResult(`There is no tool ${place.tool} of ${place.server} here.`, {
    code: 'TOOL_NOT_FOUND',
    message: 'There is no tool with the name that was called.',
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

/** Why a call has no answer, and how the connection was lost, if it was. */
interface Lapsed {
  readonly how: Unknown['how'];
  readonly last?: LastWords | undefined;
}

/** The reply to a call that was sent and got no answer. It says that the call is safe to repeat only if the tool is read-only. */
const unanswered = (
  asked: AskedCall,
  { safety, sentWallMs }: Omit<SentAttempt, 'answer'>,
  { how, last }: Lapsed,
): Refused => {
  const basis = { kind: 'refused', sent: true, last } as const;
  if (!safety.readOnly)
    return {
      ...basis,
      code: 'OUTCOME_UNKNOWN',
      refusal: outcomeUnknown({ ...asked.place, sentAt: new Date(sentWallMs).toISOString(), how }),
    };
  return how === 'cancelled'
    ? cancelled(asked, true)
    : { ...basis, code: 'TOOL_TIMEOUT', refusal: safeToRetry(asked, how) };
};

/** The reason for a refusal if the connection could not send the call. */
const NOT_TAKEN: Omit<Denied, 'may'> = { reason: 'call_failures', text: 'it did not take the call', retryAfterMs: 0 };

/** The reason for a refusal if the server answered HTTP 401, 403 or 429. Servers do so before they look at the call, so it counts as not sent. */
const turnedAway = (end: NoResponse): Omit<Denied, 'may'> => {
  if (end.how === 'auth_required')
    return { reason: 'auth_required', text: `it wants credentials (HTTP ${end.status})`, retryAfterMs: null };
  if (end.how === 'throttled')
    return { reason: 'throttled', text: 'it asks for a pause', retryAfterMs: end.retryAfterMs ?? 0 };
  return NOT_TAKEN;
};

/** The reply to a read-only call that Colibri cut short. Nothing was sent if the call still waited behind other calls. */
const cutShort = ({ place }: AskedCall, { sent, elapsedMs }: LinkAnswer): Refused =>
  sent
    ? { kind: 'refused', code: 'TOOL_TIMEOUT', sent, refusal: toolCut(place, elapsedMs) }
    : { kind: 'refused', code: 'TOOL_BUSY', sent, refusal: toolBusy(place) };

const refusalOf = (asked: AskedCall, attempt: Unanswered): Refused => {
  if ('refused' in attempt) return attempt.refused;
  if ('denied' in attempt) return unavailable(asked, attempt.denied, attempt);
  if ('busy' in attempt)
    return { kind: 'refused', code: 'TOOL_BUSY', sent: false, refusal: toolBusy(asked.place, attempt.busy) };
  if ('cancelled' in attempt) return cancelled(asked, false);
  const { end, sent } = attempt.answer;
  if (end.how === 'cut') return cutShort(asked, attempt.answer);
  const isTurnedAway = end.how === 'auth_required' || end.how === 'throttled';
  if (sent && !isTurnedAway) return unanswered(asked, attempt, { how: end.how, last: end.last });
  return end.how === 'cancelled' ? cancelled(asked, false) : unavailable(asked, turnedAway(end), attempt);
};

const lastOf = ({ answer: { end } }: SentAttempt): LastWords | undefined => ('last' in end ? end.last : undefined);

/** The reply to a call after an attempt without an answer. If an `earlier` attempt was sent, the reply must not say that nothing was sent. */
export const replyWithout = (asked: AskedCall, attempt: Unanswered, earlier?: SentAttempt): Refused => {
  const reply = refusalOf(asked, attempt);
  if (earlier === undefined || reply.sent) return reply;
  return reply.code === 'cancelled' && earlier.safety.readOnly
    ? cancelled(asked, true)
    : unanswered(asked, earlier, { how: 'lost', last: lastOf(earlier) });
};
