// Decides which provider of a route gets a call, and whether the next provider may get it afterwards. The functions are pure: the same server
// states give the same decision. Which calls a server's state permits is decided in health/permits.ts.
import type { Answer, RoutedAnswer, TriedAnswer, Try } from '../../call/answer.js';
import { RPC } from '../../core/rpc-codes.js';
import { isObject } from '../../proof/canonical-json.js';
import type { RouteAttempt, RouteNote } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import { mayRoute, type RefusalReason } from '../health/permits.js';
import type { Health, HealthState } from '../health/state.js';
import type { ToolPlace } from '../refusal.js';

/** Why a provider cannot get this call, whatever the state of its server is. */
export interface Obstacle {
  readonly reason: 'disabled' | 'not_found' | 'arguments' | 'tool_changed';
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
  /** Present if the provider's server failed to start so often for the same reason that a person should look at it. */
  readonly isStuck?: true | undefined;
  /** In how many milliseconds the provider may become eligible; null if it is eligible now, or if waiting does not help. */
  readonly retryAfterMs: number | null;
}

type Turn = 'now' | 'wait' | 'never';

/**
 * When a provider may get the call (now, after a wait, or never), and the provider as a candidate for the call. The candidate's rank is
 * still null, because it depends on the other candidates.
 */
const standing = ({ server, tool, state, obstacle }: ProviderView, nowMs: number): readonly [Turn, Candidate] => {
  const health = state?.state ?? null;
  const permission =
    obstacle === null ? mayRoute(state, nowMs) : { may: false as const, waitMs: 0, retryAfterMs: null, ...obstacle };
  if (permission.may)
    return [
      'now',
      { server, tool, state: health, eligible: true, rank: null, reason: null, text: null, retryAfterMs: null },
    ];
  const { reason, text, retryAfterMs, waitMs } = permission;
  const stuck = 'failedStarts' in permission && permission.failedStarts !== undefined ? { isStuck: true as const } : {};
  const candidate = { server, tool, state: health, eligible: false, rank: null, reason, text, retryAfterMs, ...stuck };
  return [waitMs > 0 ? 'wait' : 'never', candidate];
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

/**
 * Matches the beginning of a tool's error text which says that the arguments are wrong. The SDKs for servers answer bad arguments with a
 * result that has `isError`, and put the JSON-RPC code or these words before the reason.
 */
const ABOUT_ARGUMENTS = /^(?:MCP error -32602\b|Input validation error\b)/;

/** Whether an error answer says that the call's arguments are wrong. Another provider would get the same mistake. */
const isAboutArguments = (reply: Answer): boolean => {
  if (reply.kind === 'error') return reply.error.code === RPC.invalidParams;
  const blocks: unknown = reply.kind === 'result' ? reply.result.content : [];
  const [first] = Array.isArray(blocks) ? (blocks as unknown[]) : [];
  return isObject(first) && typeof first.text === 'string' && ABOUT_ARGUMENTS.test(first.text);
};

/** Whether a reply serves the caller: an answer without an error, or a question to the client. */
export const isServed = (reply: Answer): boolean =>
  reply.kind === 'input' || reply.kind === 'large' || (reply.kind === 'result' && reply.result.isError !== true);

/** Whether a call was refused because a person has not allowed it. */
export const isAboutApproval = (reply: Answer): boolean =>
  reply.kind === 'refused' && (reply.code === 'APPROVAL_REQUIRED' || reply.code === 'APPROVAL_DENIED');

/** What is known about the tool that was tried. */
export interface Tried {
  readonly readOnly: boolean;
  readonly fallbackOnError: boolean;
}

/**
 * Whether the next provider may get a call after one provider has replied. `next`: it may, because nothing was sent to that provider or its
 * tool is read-only. `one more`: one further provider may, and if that one fails, too, the caller gets this reply. An idempotent tool is not enough: two calls to one server may be harmless, but calls to two servers take effect twice.
 */
export const afterReply = (
  reply: Answer,
  { readOnly, fallbackOnError }: Tried,
): 'answer' | 'next' | 'one more' | 'stop' => {
  if (reply.kind === 'refused') {
    // A person decides about this provider; the next one would not be what was asked for.
    if (reply.code === 'cancelled' || isAboutApproval(reply)) return 'stop';
    // The reply's code is TOOL_TIMEOUT for read-only tools, and OUTCOME_UNKNOWN for all others.
    return !reply.sent || reply.code === 'TOOL_TIMEOUT' ? 'next' : 'stop';
  }
  if (isServed(reply) || !fallbackOnError || !readOnly) return 'answer';
  return isAboutArguments(reply) ? 'answer' : 'one more';
};

// The part of a call's outcome record that says which providers could have got the call and which got it. Names of servers and tools are made
// safe for a record.

export const attemptsAt = ({ server, tool }: ToolPlace, tries: readonly Try[]): readonly RouteAttempt[] =>
  tries.map(({ how, code, sent, durationMs, approval, allowedBy = [] }) => ({
    server: asName(server),
    tool: asName(tool),
    how,
    code: code === undefined ? undefined : asName(code),
    sent,
    duration_ms: Math.max(0, Math.round(durationMs)),
    ...(approval !== undefined && { approval }),
    ...(allowedBy.length > 0 && { allowed_by: allowedBy.map(asName) }),
  }));

/** The member of a call's outcome record about its routing. `route`: the route's name in the switchboard file; null if a tool was called directly. */
export const routeNote = (
  route: string | null,
  candidates: readonly Candidate[],
  attempts: readonly RouteAttempt[],
): RouteNote => ({
  attempts,
  candidates: candidates.map(asRecorded),
  name: route === null ? null : asName(route),
});

const asRecorded = ({ server, tool, state, eligible, reason }: Candidate): RouteNote['candidates'][number] => ({
  eligible,
  reason: reason ?? undefined,
  server: asName(server),
  state,
  tool: asName(tool),
});

/**
 * Adds the routing part of the outcome record to the answer of a call that named its server and tool. The server counts as a possible provider
 * even if the tool is not in its last tool list: the server itself decides.
 */
export const withNote = (
  { server, tool }: ToolPlace,
  { state, nowMs }: { readonly state: HealthState | null; readonly nowMs: number },
  answering: Promise<TriedAnswer>,
): Promise<RoutedAnswer> => {
  const [, candidate] = standing({ server, tool, state, obstacle: null }, nowMs);
  const candidates = [asRecorded(candidate)];
  return answering.then((tried) => {
    const route = { attempts: attemptsAt({ server, tool }, tried.tries), candidates, name: null };
    if (tried.kind === 'result') return { kind: 'result', result: tried.result, route };
    const { tries: _tries, ...answer } = tried;
    return { ...answer, route };
  });
};
