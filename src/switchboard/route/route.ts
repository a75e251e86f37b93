// Which provider of a route gets a call, and whether the next one may have it after that. Pure: the same states give the same
// answer. Only permits.ts knows what a state permits.

import type { Answer } from '../../call/answer.js';
import { mayRoute, type RefusalReason } from '../health/permits.js';
import type { Health, HealthState } from '../health/state.js';
import type { ToolPlace } from '../refusal.js';

/** What keeps a provider from this call whatever state its server is in. */
export interface Obstacle {
  readonly reason: 'disabled' | 'not_found' | 'arguments';
  readonly text: string;
}

/** A provider as it stands. */
export interface ProviderView extends ToolPlace {
  /** Null: its server is not there. */
  readonly state: HealthState | null;
  readonly obstacle: Obstacle | null;
}

export interface Candidate extends ToolPlace {
  readonly state: Health | null;
  /** May a call be sent to it now? */
  readonly eligible: boolean;
  /** When its turn comes, from 1; null: it does not. Servers that are just starting come last, and the call waits for them. */
  readonly rank: number | null;
  readonly reason: RefusalReason | Obstacle['reason'] | null;
  /** The reason in words. */
  readonly text: string | null;
  /** Null: waiting is of no use, or not needed. */
  readonly retryAfterMs: number | null;
}

type Turn = 'now' | 'wait' | 'never';
type Why = Pick<Candidate, 'reason' | 'text' | 'retryAfterMs'>;

const NOTHING: Why = { reason: null, text: null, retryAfterMs: null };

const candidate = ({ server, tool, state }: ProviderView, eligible: boolean, why: Why): Candidate => ({
  server,
  tool,
  state: state === null ? null : state.state,
  eligible,
  rank: null,
  reason: why.reason,
  text: why.text,
  retryAfterMs: why.retryAfterMs,
});

/** As it is alone; its rank only all of them together tell. */
const standing = (view: ProviderView, nowMs: number): readonly [Turn, Candidate] => {
  const { state, obstacle } = view;
  if (obstacle !== null) return ['never', candidate(view, false, { ...obstacle, retryAfterMs: null })];
  const permission = mayRoute(state, nowMs);
  if (permission.may) return ['now', candidate(view, true, NOTHING)];
  return [permission.waitMs > 0 ? 'wait' : 'never', candidate(view, false, permission)];
};

/** In the order of the configuration. */
export const candidatesOf = (views: readonly ProviderView[], nowMs: number): readonly Candidate[] => {
  const all = views.map((view) => standing(view, nowMs));
  const ready = all.filter(([turn]) => turn === 'now').length;
  let [nowRank, waitRank] = [0, ready];
  return all.map(([turn, one]) => {
    if (turn === 'never') return one;
    return { ...one, rank: turn === 'now' ? ++nowRank : ++waitRank };
  });
};

/** The place of the provider that gets the call; undefined: nobody is left. */
export const nextOf = (candidates: readonly Candidate[], tried: ReadonlySet<number>): number | undefined => {
  const left = [...candidates.keys()].filter((at) => candidates[at]?.rank != null && !tried.has(at));
  const rankOf = (at: number): number => candidates[at]?.rank ?? Number.POSITIVE_INFINITY;
  return left.sort((a, b) => rankOf(a) - rankOf(b))[0];
};

/** What is known of the tool that answered, or did not. */
export interface Tried {
  readonly readOnly: boolean;
  readonly fallbackOnError: boolean;
}

/**
 * `next`: another provider may get the call, because nothing was sent to this one or its tool changes nothing. Idempotent is
 * not enough: that a tool may be called twice on one server says nothing about calling another.
 */
export const afterReply = (reply: Answer, { readOnly, fallbackOnError }: Tried): 'answer' | 'next' | 'stop' => {
  if (reply.kind === 'refused') {
    if (reply.code === 'cancelled') return 'stop';
    // Backends say TOOL_TIMEOUT of tools that change nothing, and OUTCOME_UNKNOWN of all others.
    return !reply.sent || reply.code === 'TOOL_TIMEOUT' ? 'next' : 'stop';
  }
  if (reply.kind === 'input') return 'answer';
  const isNo = reply.kind === 'error' || reply.result.isError === true;
  return isNo && fallbackOnError && readOnly ? 'next' : 'answer';
};
