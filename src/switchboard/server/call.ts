// Runs one call to one server: waits for a turn in the queue, sends the call, reports how it ended, and retries once if that is safe.
import type { Answer, Refused, TriedAnswer, Try } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import { LazyCancellation } from '../../core/cancellation.js';
import type { AttemptEnd } from '../../proof/switchboard-records.js';
import type { HealthEvent } from '../health/event.js';
import { isNoNews } from '../health/permits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Asker, Link, LinkAnswer, LinkEnd, LinkRequest } from '../link/link.js';
import { type MonotonicProgress, monotonicProgress } from '../monotonic-progress.js';
import type { CallStats } from './call-stats.js';
import type { Driver } from './driver.js';
import type { CallQueue, Entrance, Turn } from './queue.js';
import { type AskedCall, type Attempt, replyWithout, type SentAttempt, type Unanswered } from './reply.js';
import { RouteWait } from './route-wait.js';
import type { Safety } from './stored-catalogue.js';
import type { BackendDeps } from './world.js';

/** A request to one server, as the connection gets it, with what is needed to decide about a retry. */
export interface ServerRequest extends Omit<LinkRequest, 'client'>, AskedCall {
  readonly call: string;
  readonly peer: Peer | undefined;
  /** Whether the call may be repeated. Asked when the call is sent: by then the server may have changed its tool's annotations. */
  readonly safety: () => Safety;
  /** Why the call must not be sent; undefined if it may. Asked at the moment of sending: the tool may have changed while the call waited. */
  readonly mayNot?: (() => Refused | undefined) | undefined;
  /** Of a call that was approved. Runs after it got its turn, before it is sent: uses up the approval. Returns why it must not be sent. */
  readonly beforeSending?: (() => Promise<Refused | undefined>) | undefined;
  /** Whether another server would take the call now. */
  readonly elsewhere: () => boolean;
  /** Whether another server is HEALTHY and would take the call now. If given, a read-only call does not wait long for this server. */
  readonly isHealthyElsewhere?: (() => boolean) | undefined;
}

export interface CallWorld extends Pick<BackendDeps, 'nowMs' | 'wallMs' | 'setTimer' | 'warn' | 'heard'> {
  readonly queue: CallQueue;
  readonly stats: CallStats;
  readonly driver: Driver;
  /** How many questions of the server were passed to clients so far. */
  readonly asked: () => number;
}

/** Runs a call. Calls `done` with the answer exactly once. */
export const runCall = (asked: ServerRequest, world: CallWorld, done: (answer: TriedAnswer) => void): void =>
  new RunningCall(asked, world, done).begin();

class RunningCall {
  readonly #request: ServerRequest;
  readonly #world: CallWorld;
  readonly #done: (answer: TriedAnswer) => void;
  readonly #progress: MonotonicProgress | undefined;
  /** The first attempt, if this is the second. */
  #first: { readonly attempt: SentAttempt; readonly tried: Try } | undefined;
  #begunMs = 0;
  #dial = 0;
  #sentMs = 0;
  #sentWallMs = 0;
  #safety: Safety | undefined;
  #wait: RouteWait | undefined;
  #isCut = false;

  constructor(asked: ServerRequest, world: CallWorld, done: (answer: TriedAnswer) => void) {
    this.#progress = asked.onProgress && monotonicProgress(asked.onProgress);
    const request = this.#progress === undefined ? asked : { ...asked, onProgress: this.#progress.pass };
    this.#world = world;
    this.#request = this.#bounded(request);
    this.#done = done;
  }

  /** Makes the call end early if it takes long and another server could serve it. The server is told as if the client had cancelled. */
  #bounded(request: ServerRequest): ServerRequest {
    const { isHealthyElsewhere, safety, cancellation: client } = request;
    if (isHealthyElsewhere === undefined || client?.aborted === true) return request;
    const { stats, nowMs, setTimer, asked } = this.#world;
    const cancellation = new LazyCancellation();
    const unlisten = client?.listen(() => cancellation.abort());
    const askedBefore = asked();
    const cut = (): void => {
      this.#isCut = true;
      unlisten?.();
      cancellation.abort();
    };
    // A call in which the server asked a person something is not cut: the answer would be lost.
    const mayCut = (): boolean => safety().readOnly && asked() === askedBefore && isHealthyElsewhere();
    this.#wait = new RouteWait({ stats, nowMs, setTimer, mayCut, cut });
    return { ...request, cancellation };
  }

  begin(): void {
    this.#begunMs = this.#world.nowMs();
    this.#world.queue.enter(this.#request, this.#entered);
  }

  readonly #entered = (entrance: Entrance): void => {
    if ('turn' in entrance) this.#send(entrance.turn);
    else if ('cancelled' in entrance && this.#isCut) this.#ended(this.#sentAttempt(CUT_IN_QUEUE));
    else this.#ended(entrance);
  };

  /** Sends a call. It runs synchronously in the queue's callback, so that what the queue permitted is still true when the call is sent. */
  #send(turn: Turn): void {
    const request = this.#request;
    this.#dial = turn.dial;
    const refused = request.mayNot?.();
    if (refused !== undefined) this.#giveBack(refused);
    else if (request.beforeSending === undefined) this.#transmit(turn);
    else
      request.beforeSending().then((fault) => {
        // The tool may have changed, or the client have cancelled, while the use of the approval was committed.
        const late = fault ?? request.mayNot?.();
        if (late !== undefined) this.#giveBack(late);
        else if (request.cancellation?.aborted === true) this.#giveBack(undefined);
        else this.#transmit(turn);
      });
  }

  /** Ends a call that has its turn and is not sent. The permit of PROBATION, if the call has it, is given back. */
  #giveBack(refused: Refused | undefined): void {
    const { driver, queue } = this.#world;
    const dial = this.#dial;
    driver.give({ type: 'call_not_sent', dial, call: this.#request.call });
    queue.leave(dial);
    this.#ended(refused === undefined ? { cancelled: true } : { refused });
  }

  #transmit({ link }: Turn): void {
    const request = this.#request;
    const world = this.#world;
    this.#sentMs = world.nowMs();
    this.#sentWallMs = world.wallMs();
    this.#safety = request.safety();
    try {
      const client = askerFor(request.peer, link, world);
      link.send(client === undefined ? request : { ...request, client }, this.#answered);
    } catch (thrown) {
      // That should never happen. The call may have been sent.
      world.warn(`a connection failed unexpectedly: ${String(thrown)}`);
      const elapsedMs = world.nowMs() - this.#sentMs;
      queueMicrotask(() => this.#answered({ end: { how: 'lost' }, sent: true, frames: 0, elapsedMs }));
    }
  }

  readonly #answered = (given: LinkAnswer): void => {
    const { stats, driver, queue } = this.#world;
    const answer = this.#isCut && given.end.how === 'cancelled' ? { ...given, end: CUT } : given;
    try {
      count(answer, stats);
      const event = callEvent(answer, { dial: this.#dial, call: this.#request.call, sentMs: this.#sentMs });
      if (event.type !== 'call_answered' || driver.isBusy || !isNoNews(driver.state)) driver.give(event);
      queue.leave(this.#dial);
    } finally {
      this.#ended(this.#sentAttempt(answer));
    }
  };

  #sentAttempt(answer: LinkAnswer): SentAttempt {
    return { answer, sentWallMs: this.#sentWallMs, safety: this.#safety ?? this.#request.safety() };
  }

  #ended(attempt: Attempt): void {
    const tried = tryOf(attempt, this.#world.nowMs() - this.#begunMs);
    const before = this.#first;
    if (before === undefined && maySendAgain(attempt, this.#request)) {
      this.#first = { attempt, tried };
      this.#progress?.begin();
      this.begin();
      return;
    }
    this.#wait?.stop();
    const earlier = before?.attempt.answer.sent ? before.attempt : undefined;
    const answer = answerTo(this.#request, attempt, earlier);
    if (answer.kind === 'refused' && answer.code === 'OUTCOME_UNKNOWN') this.#world.stats.unknown += 1;
    if (answer.kind === 'refused' && !answer.sent && answer.code !== 'cancelled') this.#world.stats.refused += 1;
    this.#done(withTries(answer, before === undefined ? [tried] : [before.tried, tried]));
  }
}

const CUT: LinkEnd = { how: 'cut' };

const CUT_IN_QUEUE: LinkAnswer = { end: CUT, sent: false, frames: 0, elapsedMs: 0 };

/**
 * Whether a call whose connection was lost may be sent to the same server once more: if nothing was sent, or the tool is idempotent. But not
 * if it used an approval, which is good for one sending of what its tool was then; and not if it is safe to send the call to another server that would take it now: then the call need not wait for this server to restart.
 */
const maySendAgain = (
  first: Attempt,
  { cancellation, elsewhere, beforeSending }: ServerRequest,
): first is SentAttempt => {
  if (!('answer' in first) || first.answer.end.how !== 'lost' || cancellation?.aborted === true) return false;
  if (beforeSending !== undefined) return false;
  const { answer, safety } = first;
  const mayGoOn = !answer.sent || safety.readOnly;
  return (!answer.sent || safety.idempotent) && !(mayGoOn && elsewhere());
};

/** What a request tells the server about the client. Requests of older protocols tell nothing; for these, `heard` only sets the log level. */
const askerFor = (peer: Peer | undefined, { era }: Link, { heard }: CallWorld): Asker | undefined =>
  peer !== undefined && (era === 'modern' || peer.logLevel !== undefined) ? heard(peer) : undefined;

const ERROR_ANSWERS: readonly AttemptEnd[] = ['is_error', 'error'];

const count = ({ end, sent, elapsedMs }: LinkAnswer, stats: CallStats): void => {
  stats.calls += 1;
  if (ERROR_ANSWERS.includes(howOf(end))) stats.errors += 1;
  if (end.how === 'response') stats.answered(elapsedMs);
  else if (sent && (end.how === 'timeout' || end.how === 'lost' || end.how === 'server_error')) stats.failures += 1;
};

/**
 * Makes the event for the server's health machine when a call has ended. A call failed if the server answered with HTTP 5xx, or if it sent
 * nothing at all until the timeout, or until the client cancelled after more than `silenceMs`. A result with `isError` is an answer. A call
 * that Colibri cut short, because another server could serve it, says nothing about the server.
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
  if (end.how === 'cut') return { type: 'call_cancelled', dial, call };
  const isSilent = frames === 0 && (end.how === 'timeout' || elapsedMs > SWITCHBOARD_LIMITS.silenceMs);
  return isSilent || end.how === 'server_error'
    ? { type: 'call_failed', dial, call, sentAt: sentMs }
    : { type: 'call_cancelled', dial, call };
};

/** The reply to a call after an attempt: the server's answer unchanged, or why there is none. `earlier`: the first of two attempts, if sent. */
export const answerTo = (asked: AskedCall, attempt: Attempt, earlier?: SentAttempt): Answer => {
  const end = 'answer' in attempt ? attempt.answer.end : undefined;
  if (end?.how !== 'response') return replyWithout(asked, attempt as Unanswered, earlier);
  if ('large' in end) return { kind: 'large', large: end.large };
  return 'result' in end ? { kind: 'result', result: end.result } : { kind: 'error', error: end.error };
};

const howOf = (end: LinkEnd): AttemptEnd => {
  if (end.how === 'auth_required' || end.how === 'throttled') return 'refused';
  if (end.how !== 'response') return end.how;
  if ('error' in end) return 'error';
  if ('large' in end) return 'result';
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
  if (reply.kind === 'result' || reply.kind === 'large' || reply.kind === 'input') return undefined;
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
