// Runs one call of a route: the first eligible provider gets the call; the next one gets it only if the call cannot take effect twice. After
// an error answer at most one further provider gets it; if that one fails, too, the caller gets the first answer unchanged. There is no pause
// between reading a server's state and sending the call, so that the state cannot change in between.

import type { Answer, RoutedAnswer, Unserved } from '../../call/answer.js';
import type { CheckedArguments } from '../../call/context.js';
import type { Retry } from '../../call/peer.js';
import type { CallRequest } from '../../call/request.js';
import type { RouteAttempt } from '../../proof/switchboard-records.js';
import type { Health } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type MonotonicProgress, monotonicProgress } from '../monotonic-progress.js';
import { INVALID_STATE } from '../refusal.js';
import type { OtherServers } from '../server/backend.js';
import { matchesAny } from '../tool-filter.js';
import { tellLinks } from './direct-call.js';
import { type LiveProvider, providerTool, type RouteWorld, viewOf } from './live-provider.js';
import { answerReason, chainExhausted, type ExplainedAttempt, ofRoute } from './refusal.js';
import {
  afterReply,
  attemptsAt,
  type Candidate,
  candidatesOf,
  isAboutApproval,
  isServed,
  nextOf,
  routeNote,
} from './route.js';

export interface RouteCall {
  /** The route's name in the switchboard file. */
  readonly route: string;
  readonly providers: readonly LiveProvider[];
  readonly prepared: readonly CheckedArguments[];
  readonly request: CallRequest;
}

/** The answer to a call of a route. `isFallback`: true if the answer is that of a provider which is not the route's first. */
export type RouteEnd = { readonly answer: RoutedAnswer; readonly isFallback: boolean };

class Chain {
  readonly #asked: RouteCall;
  readonly #world: RouteWorld;
  readonly #begun: number;
  readonly #tried = new Set<number>();
  readonly #attempts: ExplainedAttempt[] = [];
  /** What each provider answered, by its position. */
  readonly #answers = new Map<number, Unserved>();
  readonly #progress: MonotonicProgress | undefined;
  /** The route's providers. For one that was tried: as it was when it was chosen; for the others: as they were last seen. */
  #candidates: readonly Candidate[] = [];
  /** The error answer that let one further provider try, and how many providers had been tried by then. */
  #error: { readonly answer: Answer; readonly tried: number; readonly at: number } | undefined;

  constructor(asked: RouteCall, world: RouteWorld) {
    this.#asked = asked;
    this.#world = world;
    this.#begun = world.nowMs();
    const { onProgress } = asked.request;
    this.#progress = onProgress && monotonicProgress(onProgress);
  }

  async run(): Promise<RouteEnd> {
    const resumed = resumedBy(this.#asked.request.retry);
    if (resumed !== undefined) return this.#resume(resumed);
    for (let at = this.#choose(); at !== undefined; at = this.#choose()) {
      const ended = await this.#attempt(at);
      if (ended !== undefined) return this.#end(ended, at);
    }
    if (this.#error !== undefined) return this.#end(this.#error.answer, this.#error.at);
    const { route } = this.#asked;
    const sent = this.#attempts.some((attempt) => attempt.sent);
    const refusal = chainExhausted({ route, candidates: this.#candidates, attempts: this.#attempts });
    return this.#end({ kind: 'refused', code: 'FALLBACK_CHAIN_EXHAUSTED', sent, refusal });
  }

  /** Goes on with a call after the client has sent its answers to a provider's questions. */
  async #resume(resumed: Resumed | 'invalid'): Promise<RouteEnd> {
    this.#look();
    if (resumed === 'invalid') return this.#end(INVALID_STATE);
    return this.#end((await this.#attempt(resumed.at, resumed)) ?? INVALID_STATE, resumed.at);
  }

  #choose(): number | undefined {
    const isLate = this.#world.nowMs() - this.#begun >= SWITCHBOARD_LIMITS.routeMs;
    // `#look` is not called if the call is late or cancelled, because the record must not show server states that played no part.
    if (isLate || this.#isLast || this.#asked.request.cancellation.aborted) return undefined;
    return nextOf(this.#look(), this.#tried);
  }

  /** Whether no further provider may be tried, because one provider has been tried after an error answer. */
  get #isLast(): boolean {
    return this.#error !== undefined && this.#tried.size > this.#error.tried;
  }

  /** Whether an eligible provider is left that was not tried yet for this call, in `state` if a state is given. */
  #hasAnother(state?: Health): boolean {
    return this.#standing().some(
      (one, at) => one.eligible && !this.#tried.has(at) && (state === undefined || one.state === state),
    );
  }

  #standing(): readonly Candidate[] {
    const { providers, prepared } = this.#asked;
    return candidatesOf(
      providers.map((provider, at) => viewOf(provider, prepared[at])),
      this.#world.nowMs(),
    );
  }

  #look(): readonly Candidate[] {
    const now = this.#standing();
    const before = this.#candidates;
    this.#candidates = now.map((candidate, at) => (this.#tried.has(at) ? (before[at] ?? candidate) : candidate));
    return now;
  }

  /** Sends the call to one provider. Resolves with the final answer; with undefined if the next provider may get the call. */
  async #attempt(at: number, resumed?: Resumed): Promise<Answer | undefined> {
    const { providers, prepared, request, route } = this.#asked;
    const { retry } = resumed ?? request;
    const [provider, args] = [providers[at], prepared[at]];
    this.#tried.add(at);
    if (provider?.at === undefined || args === undefined || 'problem' in args) return undefined;
    const readOnly = providerTool(provider)?.readOnly === true;
    this.#progress?.begin();
    const onward = { ...request, retry, onProgress: this.#progress?.pass };
    const goesOn = resumed === undefined && !this.#isLast;
    const others: OtherServers = {
      elsewhere: () => goesOn && this.#hasAnother(),
      isHealthyElsewhere: goesOn && readOnly ? () => this.#hasAnother('HEALTHY') : undefined,
    };
    const { tries, ...end } = await provider.at.backend.call(provider.tool, args.args, onward, others);
    const reason = answerReason(end);
    this.#attempts.push(...attemptsAt(provider, tries).map((attempt) => ({ ...attempt, reason })));
    this.#answers.set(at, { attempt: this.#attempts.length - 1, answer: end });
    tellLinks(this.#world.seen, provider.server, end);
    if (resumed === undefined && this.#leavesOpen(end, { at, readOnly, provider })) return undefined;
    if (end.kind !== 'refused') return markInput(end, at);
    return { ...end, refusal: ofRoute(end.refusal, route, this.#plainAttempts) };
  }

  /** Whether a provider's reply does not end the route: the next provider is tried or, after the last, the first error is the answer. */
  #leavesOpen(reply: Answer, { at, readOnly, provider }: TriedProvider): boolean {
    // After an error answer, a further failure changes nothing. But the caller must know if the further call may have taken effect.
    if (this.#error !== undefined) return !isServed(reply) && !mustBeTold(reply);
    const fallbackOnError = provider.fallbackOnError ?? isListedReadOnly(provider);
    const verdict = afterReply(reply, { readOnly, fallbackOnError });
    if (verdict === 'one more') this.#error = { answer: reply, tried: this.#tried.size, at };
    return verdict === 'next' || verdict === 'one more';
  }

  get #plainAttempts(): readonly RouteAttempt[] {
    return this.#attempts.map(({ reason: _reason, ...attempt }) => attempt);
  }

  /** Ends the call. `at`: the provider whose reply this is; undefined if the route itself replies. */
  #end(reply: Answer, at?: number): RouteEnd {
    const route = routeNote(this.#asked.route, this.#candidates, this.#plainAttempts);
    const unserved = [...this.#answers].filter(([from]) => from !== at).map(([, one]) => one);
    const answer = unserved.length === 0 ? { ...reply, route } : { ...reply, route, unserved };
    return { answer, isFallback: at !== undefined && at !== 0 };
  }
}

interface TriedProvider {
  readonly at: number;
  readonly readOnly: boolean;
  readonly provider: LiveProvider;
}

/** Whether the configuration itself, not a hint of the server, says that the provider's tool is read-only. */
const isListedReadOnly = ({ at, tool }: LiveProvider): boolean => matchesAny(at?.config.tools.readOnly ?? [], tool);

const mustBeTold = (reply: Answer): boolean =>
  isAboutApproval(reply) ||
  (reply.kind === 'refused' && (reply.code === 'OUTCOME_UNKNOWN' || reply.code === 'cancelled'));

/** Runs one call of a route. The promise always resolves: every attempt ends, and no attempt begins later than `routeMs`. */
export const runRoute = (asked: RouteCall, world: RouteWorld): Promise<RouteEnd> => new Chain(asked, world).run();

// A provider of a route may ask the client a question; the client then calls the route again with the answer. The `requestState` that the
// client sends back names the provider that asked, because only that provider can use its own `requestState`.

/** A route's requestState: the index of the provider, then the provider's own requestState. */
const MARKED = /^(\d{1,3})\.(.*)$/s;

const markInput = (reply: Answer, at: number): Answer => {
  if (reply.kind !== 'input' || typeof reply.result.requestState !== 'string') return reply;
  return { ...reply, result: { ...reply.result, requestState: `${at}.${reply.result.requestState}` } };
};

interface Resumed {
  readonly at: number;
  readonly retry: Retry;
}

/** The provider that gets the client's answers; undefined if the call has no `requestState`, `invalid` if Colibri did not make it. */
const resumedBy = (retry: Retry | undefined): Resumed | 'invalid' | undefined => {
  if (retry?.requestState === undefined) return undefined;
  const [, at, requestState] = MARKED.exec(retry.requestState) ?? [];
  return at === undefined ? 'invalid' : { at: Number(at), retry: { ...retry, requestState } };
};
