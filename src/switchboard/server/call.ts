// Runs one call to one server: waits for a turn in the queue, sends the call, reports how it ended, and retries once if that is safe.
import type { Answer, TriedAnswer, Try } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { AttemptEnd } from '../../proof/switchboard-records.js';
import type { HealthEvent } from '../health/event.js';
import { isNoNews } from '../health/permits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Asker, Link, LinkAnswer, LinkEnd, LinkRequest } from '../link/link.js';
import { monotonicProgress } from '../monotonic-progress.js';
import type { Driver } from './driver.js';
import type { CallQueue, Turn } from './queue.js';
import { type AskedCall, type Attempt, replyWithout, type SentAttempt, type Unanswered } from './reply.js';
import type { Safety } from './stored-catalogue.js';
import type { BackendDeps } from './world.js';

/** A request to one server, as the connection gets it, with what is needed to decide about a retry. */
export interface ServerRequest extends Omit<LinkRequest, 'client'>, AskedCall {
  readonly call: string;
  readonly peer: Peer | undefined;
  /** Whether the call may be repeated. Asked when the call is sent: by then the server may have changed its tool's annotations. */
  readonly safety: () => Safety;
  /** Whether another server would take the call now. */
  readonly elsewhere: () => boolean;
}

export interface CallWorld extends Pick<BackendDeps, 'nowMs' | 'wallMs' | 'warn' | 'heard'> {
  readonly queue: CallQueue;
  readonly stats: CallStats;
  readonly driver: Driver;
}

/** Runs a call. The promise never rejects. */
export const runCall = async (asked: ServerRequest, world: CallWorld): Promise<TriedAnswer> => {
  const begun = world.nowMs();
  const progress = asked.onProgress && monotonicProgress(asked.onProgress);
  const request = progress === undefined ? asked : { ...asked, onProgress: progress.pass };
  const first = await attempt(request, world);
  const tried = tryOf(first, world.nowMs() - begun);
  if (!maySendAgain(first, request)) return counted(world, answerTo(request, first), [tried]);
  const again = world.nowMs();
  progress?.begin();
  const second = await attempt(request, world);
  const tries = [tried, tryOf(second, world.nowMs() - again)];
  return counted(world, answerTo(request, second, first.answer.sent ? first : undefined), tries);
};

const counted = ({ stats }: CallWorld, reply: Answer, tries: readonly Try[]): TriedAnswer => {
  if (reply.kind === 'refused' && reply.code === 'OUTCOME_UNKNOWN') stats.unknown += 1;
  return withTries(reply, tries);
};

/**
 * Whether a call whose connection was lost may be sent to the same server once more: if nothing was sent, or the tool is idempotent. But not
 * if it is safe to send the call to another server that would take it now: then the call need not wait for this server to restart.
 */
const maySendAgain = (first: Attempt, { cancellation, elsewhere }: ServerRequest): first is SentAttempt => {
  if (!('answer' in first) || first.answer.end.how !== 'lost' || cancellation?.aborted === true) return false;
  const { answer, safety } = first;
  const mayGoOn = !answer.sent || safety.readOnly;
  return (!answer.sent || safety.idempotent) && !(mayGoOn && elsewhere());
};

const attempt = (request: ServerRequest, world: CallWorld): Promise<Attempt> =>
  new Promise((resolve) => {
    world.queue.enter(request, (entrance) => {
      if ('turn' in entrance) send(request, entrance.turn, world, resolve);
      else resolve(entrance);
    });
  });

/** Sends a call. It runs synchronously in the queue's callback, so that what the queue permitted is still true when the call is sent. */
const send = (request: ServerRequest, { dial, link }: Turn, world: CallWorld, done: (end: Attempt) => void): void => {
  const sentMs = world.nowMs();
  const sentWallMs = world.wallMs();
  const safety = request.safety();
  const ended = (answer: LinkAnswer): void => {
    try {
      count(answer, world.stats);
      const event = callEvent(answer, { dial, call: request.call, sentMs });
      if (event.type !== 'call_answered' || world.driver.isBusy || !isNoNews(world.driver.state))
        world.driver.give(event);
      world.queue.leave(dial);
    } finally {
      done({ answer, sentWallMs, safety });
    }
  };
  /** Ends a call whose request was rejected by the connection. That should never happen; the call may have been sent. */
  const broken = (thrown: unknown): void => {
    world.warn(`a connection failed unexpectedly: ${String(thrown)}`);
    ended({ end: { how: 'lost' }, sent: true, frames: 0, elapsedMs: world.nowMs() - sentMs });
  };
  try {
    const client = askerFor(request.peer, link, world);
    link.request(client === undefined ? request : { ...request, client }).then(ended, broken);
  } catch (thrown) {
    broken(thrown);
  }
};

/** What a request tells the server about the client. Requests of older protocols tell nothing; for these, `heard` only sets the log level. */
const askerFor = (peer: Peer | undefined, { era }: Link, { heard }: CallWorld): Asker | undefined =>
  peer !== undefined && (era === 'modern' || peer.logLevel !== undefined) ? heard(peer) : undefined;

const count = ({ end, sent, elapsedMs }: LinkAnswer, stats: CallStats): void => {
  stats.calls += 1;
  if (end.how === 'response') stats.answered(elapsedMs);
  else if (sent && (end.how === 'timeout' || end.how === 'lost' || end.how === 'server_error')) stats.failures += 1;
};

/**
 * Makes the event for the server's health machine when a call has ended. A call failed if the server answered with HTTP 5xx, or if it sent
 * nothing at all until the timeout, or until the client cancelled after more than `silenceMs`. A result with `isError` is an answer.
 */
export const callEvent = (
  { end, sent, frames, elapsedMs }: LinkAnswer,
  { dial, call, sentMs }: { readonly dial: number; readonly call: string; readonly sentMs: number },
): HealthEvent => {
  if (end.how === 'auth_required') return { type: 'auth_required', dial, during: 'call', call, status: end.status };
  if (end.how === 'throttled') return { type: 'throttled', dial, during: 'call', call, retryAfterMs: end.retryAfterMs };
  // The connection and every call in flight report its loss. Only the first report counts: after it, the others are about an old connection.
  if (end.how === 'lost') return { type: 'lost', dial };
  if (!sent) return { type: 'call_not_sent', dial, call };
  if (end.how === 'response') return { type: 'call_answered', dial, call };
  const isSilent = frames === 0 && (end.how === 'timeout' || elapsedMs > SWITCHBOARD_LIMITS.silenceMs);
  return isSilent || end.how === 'server_error'
    ? { type: 'call_failed', dial, call, sentAt: sentMs }
    : { type: 'call_cancelled', dial, call };
};

/** The reply to a call after an attempt: the server's answer unchanged, or why there is none. `earlier`: the first of two attempts, if sent. */
export const answerTo = (asked: AskedCall, attempt: Attempt, earlier?: SentAttempt): Answer => {
  const end = 'answer' in attempt ? attempt.answer.end : undefined;
  if (end?.how !== 'response') return replyWithout(asked, attempt as Unanswered, earlier);
  return 'result' in end ? { kind: 'result', result: end.result } : { kind: 'error', error: end.error };
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

/** Adds the list of attempts to a reply. The last attempt gets the reply's code, because that attempt led to the reply. */
export const withTries = (reply: Answer, tries: readonly Try[]): TriedAnswer => {
  if (reply.kind === 'result') return { kind: 'result', result: reply.result, tries };
  const code = codeOf(reply);
  const last = tries.at(-1);
  const isCoded = code !== undefined && last !== undefined;
  return { ...reply, tries: isCoded ? [...tries.slice(0, -1), { ...last, code }] : tries };
};

// Counts the calls of one server and keeps the durations of the latest answers for percentiles.

export class CallStats {
  /** The number of calls that were given to a connection to be sent. */
  calls = 0;
  /** The number of calls without an answer: a timeout, a lost connection, HTTP 5xx. */
  failures = 0;
  /** The number of calls that ended with `OUTCOME_UNKNOWN`. */
  unknown = 0;
  readonly #durations: number[] = [];
  #next = 0;

  answered(durationMs: number): void {
    this.#durations[this.#next] = durationMs;
    this.#next = (this.#next + 1) % SWITCHBOARD_LIMITS.callDurations;
  }

  /** The duration that this share of the latest answers did not exceed; null before the first answer. */
  percentile(share: number): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
    return found === undefined ? null : Math.round(found);
  }
}
