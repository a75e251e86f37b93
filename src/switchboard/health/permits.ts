// What each health state of a server permits: one table, and one function for each question, such as whether a call may be sent. All other
// code calls these functions instead of comparing states.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type Health, type HealthState, REMOVED, type ReasonCode } from './state.js';

interface PermitRow {
  /** Whether the server's tools are listed. `unless hidden`: with `whenUnavailable: "hide"` they are listed only for `hideAfterMs` more. */
  readonly list: 'yes' | 'unless hidden';
  readonly route: 'yes' | 'one' | 'wait' | 'no';
}

export const PERMITS: Readonly<Record<Health, PermitRow>> = {
  STARTING: { list: 'yes', route: 'wait' },
  HEALTHY: { list: 'yes', route: 'yes' },
  UNHEALTHY: { list: 'unless hidden', route: 'no' },
  QUARANTINE: { list: 'unless hidden', route: 'no' },
  PROBATION: { list: 'yes', route: 'one' },
};

/** Why a call is refused or a tool is not listed: the reason that is kept in the health state, or one that follows from the state's name. */
export type RefusalReason = ReasonCode | 'starting' | 'probation' | 'hidden';

export interface Denied {
  readonly may: false;
  readonly reason: RefusalReason;
  /** The reason for the refusal in words, for people and models. */
  readonly text: string;
  /** The milliseconds after which to try again; null: trying again is of no use until a person acts. */
  readonly retryAfterMs: number | null;
  /** How often in a row the server failed to start for the same reason, if so often that a person should look at it. */
  readonly failedStarts?: number | undefined;
}

export interface Granted {
  readonly may: true;
}

export type Permission = Granted | Denied;

/** Whether a call may be sent. `permit`: true if the call first needs the one permit of PROBATION. `waitMs`: how long it may wait to be sent. */
export type RoutePermission = (Granted & { readonly permit: boolean }) | (Denied & { readonly waitMs: number });

const YES: Granted = { may: true };

const GONE: Denied = { may: false, reason: REMOVED.code, text: REMOVED.text, retryAfterMs: null };

/** The reason for a refusal, as a code and in words, for those health states that keep no reason of their own. */
const WORDS: Readonly<Record<'STARTING' | 'HEALTHY' | 'PROBATION', readonly [RefusalReason, string]>> = {
  STARTING: ['starting', 'it is starting'],
  HEALTHY: ['throttled', 'it asks for a pause'],
  PROBATION: ['probation', 'it is being tried with one request'],
};

/**
 * After how many milliseconds a refused call may be tried again: at the latest when the current attempt to connect is given up. Null: a
 * person must act.
 */
const retryAfterMs = (state: HealthState, now: number): number | null => {
  const left = (at: number): number => Math.max(0, at - now);
  switch (state.state) {
    case 'STARTING':
      return Math.min(SWITCHBOARD_LIMITS.dialWaitMs, left(state.deadline));
    case 'HEALTHY':
      return left(state.throttledUntil ?? now);
    case 'PROBATION':
      return SWITCHBOARD_LIMITS.probationRetryMs;
    case 'QUARANTINE':
    case 'UNHEALTHY': {
      if (state.deadline !== null) return Math.min(SWITCHBOARD_LIMITS.probationRetryMs, left(state.deadline));
      const due = state.state === 'QUARANTINE' ? state.until : state.retryAt;
      return due === null ? null : left(due);
    }
  }
};

/**
 * How often in a row the server failed to start for the same reason, if that was so often that a person should look at it. Colibri goes on
 * trying, but a caller should not.
 */
const failedStarts = (state: HealthState): number | undefined => {
  const isStuck = state.state === 'UNHEALTHY' && (state.alike ?? 0) >= SWITCHBOARD_LIMITS.failedStarts;
  return isStuck ? state.alike : undefined;
};

const denied = (state: HealthState, now: number): Denied => {
  const starts = failedStarts(state);
  if (starts !== undefined && state.reason !== null) {
    const text = `it failed to start ${starts} times in a row for the same reason: ${state.reason.text}`;
    return { may: false, reason: state.reason.code, text, retryAfterMs: null, failedStarts: starts };
  }
  const isDown = state.state === 'UNHEALTHY' || state.state === 'QUARANTINE';
  const [reason, text] = isDown ? [state.reason.code, state.reason.text] : WORDS[state.state];
  return { may: false, reason, text, retryAfterMs: retryAfterMs(state, now) };
};

/** Whether a server's tools may be listed. `hide`: true if the server has `whenUnavailable: "hide"`. */
export const mayList = (state: HealthState | null, hide: boolean, now: number): Permission => {
  if (state === null) return GONE;
  if (PERMITS[state.state].list === 'yes' || !hide) return YES;
  const since = 'unavailableSince' in state ? state.unavailableSince : state.since;
  return now - since < SWITCHBOARD_LIMITS.hideAfterMs ? YES : { ...denied(state, now), reason: 'hidden' };
};

/**
 * Whether a call may still get the one permit of PROBATION. It may not if another call has the permit, or if a capability check is
 * configured, because the permit is then for that check.
 */
const hasPermitLeft = (state: HealthState): boolean =>
  state.state === 'PROBATION' && state.permit === null && state.settings.capability === null;

/**
 * Whether one more answer to a call changes nothing for the server's health machine: the server is healthy and has no failures that an answer
 * would clear. An answer need not show that the computer slept: the overdue tick shows it.
 */
export const isNoNews = (state: HealthState | null): boolean => {
  if (state?.state !== 'HEALTHY') return false;
  const { liveness, readiness, call } = state.failures;
  return liveness + readiness + call === 0;
};

const isThrottled = (state: HealthState, now: number): boolean =>
  state.state === 'HEALTHY' && state.throttledUntil !== null && now < state.throttledUntil;

/**
 * Whether a call may be sent to a server now. If `permit` is true in the answer, the server is in PROBATION: only the one call that the
 * health machine admits may be sent.
 */
export const mayRoute = (state: HealthState | null, now: number): RoutePermission => {
  if (state === null) return { ...GONE, waitMs: 0 };
  const no = (waitMs = 0): RoutePermission => ({ ...denied(state, now), waitMs });
  switch (PERMITS[state.state].route) {
    case 'yes':
      return isThrottled(state, now) ? no() : { may: true, permit: false };
    case 'one':
      return hasPermitLeft(state) ? { may: true, permit: true } : no();
    case 'wait':
      return no(SWITCHBOARD_LIMITS.dialWaitMs);
    case 'no':
      return no();
  }
};
