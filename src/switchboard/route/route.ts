// Decides which provider of a route gets a call, and whether the next provider may get it afterwards. The functions are pure: the same server
// states give the same decision. Which calls a server's state permits is decided in health/permits.ts.
import type { Answer, RoutedAnswer, TriedAnswer, Try } from '../../call/answer.js';
import type { RouteAttempt, RouteNote } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import { mayRoute, type RefusalReason } from '../health/permits.js';
import type { Health, HealthState } from '../health/state.js';
import type { ToolPlace } from '../refusal.js';

/** Why a provider cannot get this call, whatever the state of its server is. */
export interface Obstacle {
  readonly reason: 'disabled' | 'not_found' | 'arguments';
  readonly text: string;
}

/** What is known about a provider at the moment in which a provider is chosen for a call. */
export interface ProviderView extends ToolPlace {
  /** The health state of the provider's server; null if the server does not run. */
  readonly state: HealthState | null;
  readonly obstacle: Obstacle | null;
}

export interface Candidate extends ToolPlace {
  readonly state: Health | null;
  /** True if a call may be sent to the provider now. */
  readonly eligible: boolean;
  /** The provider's position in the order of attempts, from 1; null if it is not tried. Providers whose server is still starting come last. */
  readonly rank: number | null;
  readonly reason: RefusalReason | Obstacle['reason'] | null;
  /** The reason why the provider is not eligible, in words. */
  readonly text: string | null;
  /** In how many milliseconds the provider may become eligible; null if it is eligible now, or if waiting does not help. */
  readonly retryAfterMs: number | null;
}

type Turn = 'now' | 'wait' | 'never';

/**
 * When a provider may get the call (now, after a wait, or never), and the provider as a candidate for the call. The candidate's rank is
 * still null, because it depends on the other candidates.
 */
const standing = ({ server, tool, state, obstacle }: ProviderView, nowMs: number): readonly [Turn, Candidate] => {
  const basis = { server, tool, state: state?.state ?? null, rank: null };
  if (obstacle !== null) return ['never', { ...basis, eligible: false, ...obstacle, retryAfterMs: null }];
  const permission = mayRoute(state, nowMs);
  if (permission.may) return ['now', { ...basis, eligible: true, reason: null, text: null, retryAfterMs: null }];
  const { reason, text, retryAfterMs, waitMs } = permission;
  return [waitMs > 0 ? 'wait' : 'never', { ...basis, eligible: false, reason, text, retryAfterMs }];
};

/** The candidates (the providers with their ranks) for a call, in the order of the providers in the configuration. */
export const candidatesOf = (views: readonly ProviderView[], nowMs: number): readonly Candidate[] => {
  const all = views.map((view) => standing(view, nowMs));
  const ready = all.filter(([turn]) => turn === 'now').length;
  let [nowRank, waitRank] = [0, ready];
  return all.map(([turn, one]) => {
    if (turn === 'never') return one;
    return { ...one, rank: turn === 'now' ? ++nowRank : ++waitRank };
  });
};

/** The index of the provider that gets the call next; undefined if none is left. */
export const nextOf = (candidates: readonly Candidate[], tried: ReadonlySet<number>): number | undefined => {
  const left = [...candidates.keys()].filter((at) => candidates[at]?.rank != null && !tried.has(at));
  const rankOf = (at: number): number => candidates[at]?.rank ?? Number.POSITIVE_INFINITY;
  return left.sort((a, b) => rankOf(a) - rankOf(b))[0];
};

/** What is known about the tool that was tried. */
export interface Tried {
  readonly readOnly: boolean;
  readonly fallbackOnError: boolean;
}

/**
 * Whether the next provider may get a call after one provider has replied. `next`: it may, because nothing was sent to that provider or its
 * tool is read-only. An idempotent tool is not enough: two calls to one server may be harmless, but calls to two servers take effect twice.
 */
export const afterReply = (reply: Answer, { readOnly, fallbackOnError }: Tried): 'answer' | 'next' | 'stop' => {
  if (reply.kind === 'refused') {
    if (reply.code === 'cancelled') return 'stop';
    // The reply's code is TOOL_TIMEOUT for read-only tools, and OUTCOME_UNKNOWN for all others.
    return !reply.sent || reply.code === 'TOOL_TIMEOUT' ? 'next' : 'stop';
  }
  if (reply.kind === 'input') return 'answer';
  const isError = reply.kind === 'error' || reply.result.isError === true;
  return isError && fallbackOnError && readOnly ? 'next' : 'answer';
};

// The part of a call's outcome record that says which providers could have got the call and which got it. Names of servers and tools are made
// safe for a record.

export const attemptsAt = ({ server, tool }: ToolPlace, tries: readonly Try[]): readonly RouteAttempt[] =>
  tries.map(({ how, code, sent, durationMs }) => ({
    server: asName(server),
    tool: asName(tool),
    how,
    code: code === undefined ? undefined : asName(code),
    sent,
    duration_ms: Math.max(0, Math.round(durationMs)),
  }));

/** The member of a call's outcome record about its routing. `route`: the route's name in the switchboard file; null if a tool was called directly. */
export const routeNote = (
  route: string | null,
  candidates: readonly Candidate[],
  attempts: readonly RouteAttempt[],
): RouteNote => ({
  attempts,
  candidates: candidates.map(({ server, tool, state, eligible, reason }) => ({
    eligible,
    reason: reason ?? undefined,
    server: asName(server),
    state,
    tool: asName(tool),
  })),
  name: route === null ? null : asName(route),
});

/**
 * Adds the routing part of the outcome record to the answer of a call that named its server and tool. The server counts as a possible provider
 * even if the tool is not in its last tool list: the server itself decides.
 */
export const withNote = async (
  { server, tool }: ToolPlace,
  { state, nowMs }: { readonly state: HealthState | null; readonly nowMs: number },
  answering: Promise<TriedAnswer>,
): Promise<RoutedAnswer> => {
  const candidates = candidatesOf([{ server, tool, state, obstacle: null }], nowMs);
  const { tries, ...answer } = await answering;
  return { ...answer, route: routeNote(null, candidates, attemptsAt({ server, tool }, tries)) };
};
