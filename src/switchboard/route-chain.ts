// One call of a route: the first eligible provider gets it, the next one only where that cannot do anything twice. Every look
// at the states and the call that follows from it happen in one breath.
import type { CheckedArguments, NativeResult, ProxyCall } from '../context.js';
import type { RouteAttempt } from '../ledger/records.js';
import { LIMITS } from '../limits.js';
import type { BackendReply } from './backend-reply.js';
import { expired } from './conversations.js';
import { type LiveProvider, toolOf, viewOf } from './live-provider.js';
import { afterReply, type Candidate, candidatesOf, nextOf } from './route.js';
import { attemptsAt } from './route-note.js';
import { chainExhausted, type ExplainedAttempt, ofRoute, reasonOf } from './route-refusal.js';

export interface RouteCall {
  /** The route's name in the file. */
  readonly route: string;
  readonly providers: readonly LiveProvider[];
  /** What the call's arguments are for each provider. */
  readonly prepared: readonly CheckedArguments[];
  readonly call: ProxyCall;
}

export type RouteReply =
  | Exclude<BackendReply, { readonly kind: 'refused' }>
  | (Omit<Extract<BackendReply, { readonly kind: 'refused' }>, 'code'> & { readonly code: string });

export interface RouteEnd {
  readonly reply: RouteReply;
  /** Another provider than the first of the route had the last word. */
  readonly isFallback: boolean;
  /** Each as it was when it was chosen, or at the last look. */
  readonly candidates: readonly Candidate[];
  readonly attempts: readonly RouteAttempt[];
}

/** Progress must grow: what a later provider reports counts on from where the one before it ended. */
const growing = (onProgress: ProxyCall['onProgress']) => {
  let [base, highest] = [0, 0];
  const pass = (params: NativeResult): void => {
    const { progress, total } = params;
    if (typeof progress === 'number') highest = Math.max(highest, base + progress);
    const raised = (value: unknown): unknown => (typeof value === 'number' ? base + value : value);
    onProgress?.({ ...params, progress: raised(progress), ...(total !== undefined && { total: raised(total) }) });
  };
  const begin = (): void => {
    base = highest;
  };
  return { pass: onProgress && pass, begin };
};

class Chain {
  readonly #asked: RouteCall;
  readonly #nowMs: () => number;
  readonly #begun: number;
  readonly #tried = new Set<number>();
  readonly #attempts: ExplainedAttempt[] = [];
  readonly #progress: ReturnType<typeof growing>;
  #candidates: readonly Candidate[] = [];

  constructor(asked: RouteCall, nowMs: () => number) {
    this.#asked = asked;
    this.#nowMs = nowMs;
    this.#begun = nowMs();
    this.#progress = growing(asked.call.onProgress);
  }

  async run(): Promise<RouteEnd> {
    const { retry } = this.#asked.call;
    if (retry?.requestState !== undefined) return this.#goOn(retry.requestState);
    for (let at = this.#choose(); at !== undefined; at = this.#choose()) {
      const ended = await this.#attempt(at);
      if (ended !== undefined) return this.#end(ended);
    }
    const { route } = this.#asked;
    const sent = this.#attempts.some((attempt) => attempt.sent);
    const refusal = chainExhausted({ route, candidates: this.#candidates, attempts: this.#attempts });
    return this.#end({ kind: 'refused', code: 'FALLBACK_CHAIN_EXHAUSTED', sent, refusal });
  }

  /** The client was asked something by a provider: it goes on there and nowhere else. */
  async #goOn(requestState: string): Promise<RouteEnd> {
    const { providers, prepared } = this.#asked;
    const at = providers.findIndex((provider, index) => {
      const args = prepared[index];
      return args !== undefined && 'args' in args && provider.at?.backend.holds(requestState, provider.tool, args.args);
    });
    this.#choose();
    const ended = at === -1 ? undefined : await this.#attempt(at);
    return this.#end(ended ?? expired());
  }

  #choose(): number | undefined {
    const { providers, prepared } = this.#asked;
    const now = candidatesOf(
      providers.map((provider, at) => viewOf(provider, prepared[at])),
      this.#nowMs(),
    );
    const before = this.#candidates;
    this.#candidates = now.map((candidate, at) => (this.#tried.has(at) ? (before[at] ?? candidate) : candidate));
    const isLate = this.#nowMs() - this.#begun >= LIMITS.routeMs;
    return isLate || this.#asked.call.signal.aborted ? undefined : nextOf(now, this.#tried);
  }

  /** What the chain ends in; nothing where the next provider may have the call. */
  async #attempt(at: number): Promise<RouteReply | undefined> {
    const { providers, prepared, call, route } = this.#asked;
    const [provider, args] = [providers[at], prepared[at]];
    this.#tried.add(at);
    if (provider?.at === undefined || args === undefined || 'problem' in args) return undefined;
    const readOnly = toolOf(provider)?.readOnly === true;
    this.#progress.begin();
    const reply = await provider.at.backend.call(provider.tool, args.args, {
      callId: call.id,
      signal: call.signal,
      ...(this.#progress.pass !== undefined && { onProgress: this.#progress.pass }),
      ...(call.peer !== undefined && { peer: call.peer }),
      ...(call.retry !== undefined && { retry: call.retry }),
      ...(call.meta !== undefined && { extra: { _meta: call.meta } }),
    });
    const reason = reasonOf(reply);
    this.#attempts.push(...attemptsAt(provider, reply.tries).map((attempt) => ({ ...attempt, reason })));
    const verdict = afterReply(reply, { readOnly, fallbackOnError: provider.fallbackOnError });
    if (verdict === 'next') return undefined;
    if (reply.kind !== 'refused') return reply;
    return { ...reply, refusal: ofRoute(reply.refusal, route, this.#plainAttempts) };
  }

  get #plainAttempts(): readonly RouteAttempt[] {
    return this.#attempts.map(({ reason: _reason, ...attempt }) => attempt);
  }

  #end(reply: RouteReply): RouteEnd {
    const isFallback = [...this.#tried].at(-1) !== 0;
    return { reply, isFallback, candidates: this.#candidates, attempts: this.#plainAttempts };
  }
}

/** Never rejects, and always ends: every attempt does, and none begins after a while. */
export const runRoute = (asked: RouteCall, nowMs: () => number): Promise<RouteEnd> => new Chain(asked, nowMs).run();
