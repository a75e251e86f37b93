// What each state permits: one table, and one function per question. All other code asks these functions instead of comparing states.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type Health, type HealthState, REMOVED, type ReasonCode } from './state.js';

interface PermitRow {
  /** `unless hidden`: `whenUnavailable: "hide"` takes its tools off the list after a while. */
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

/** Why something is refused: the state's own reason, or an obstacle although the state would permit it. */
export type RefusalReason = ReasonCode | 'starting' | 'probation' | 'hidden';

export interface Denied {
  readonly may: false;
  readonly reason: RefusalReason;
  /** For people and models. */
  readonly text: string;
  /** Null: trying again is of no use until a person acts. */
  readonly retryAfterMs: number | null;
}

export interface Granted {
  readonly may: true;
}

export type Permission = Granted | Denied;

/** `permit`: the call must get the one permit first. `waitMs`: the call may wait so long for the server. */
export type RoutePermission = (Granted & { readonly permit: boolean }) | (Denied & { readonly waitMs: number });

const YES: Granted = { may: true };

const GONE: Denied = { may: false, reason: REMOVED.code, text: REMOVED.text, retryAfterMs: null };

/** The reason for a refusal in states that have none of their own. */
const WORDS: Readonly<Record<'STARTING' | 'HEALTHY' | 'PROBATION', readonly [RefusalReason, string]>> = {
  STARTING: ['starting', 'it is starting'],
  HEALTHY: ['throttled', 'it asks for a pause'],
  PROBATION: ['probation', 'it is being tried with one request'],
};

/** When to try again; a dial under way ends at its deadline at the latest. */
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
      return state.deadline === null
        ? left(state.until)
        : Math.min(SWITCHBOARD_LIMITS.probationRetryMs, left(state.deadline));
    case 'UNHEALTHY':
      if (state.deadline !== null) return Math.min(SWITCHBOARD_LIMITS.probationRetryMs, left(state.deadline));
      return state.retryAt === null ? null : left(state.retryAt);
  }
};

const denied = (state: HealthState, now: number): Denied => {
  const isDown = state.state === 'UNHEALTHY' || state.state === 'QUARANTINE';
  const [reason, text] = isDown ? [state.reason.code, state.reason.text] : WORDS[state.state];
  return { may: false, reason, text, retryAfterMs: retryAfterMs(state, now) };
};

/** May its tools be listed? `hide` is the server's `whenUnavailable: "hide"`. */
export const mayList = (state: HealthState | null, hide: boolean, now: number): Permission => {
  if (state === null) return GONE;
  if (PERMITS[state.state].list === 'yes' || !hide) return YES;
  const since = 'unavailableSince' in state ? state.unavailableSince : state.since;
  return now - since < SWITCHBOARD_LIMITS.hideAfterMs ? YES : { ...denied(state, now), reason: 'hidden' };
};

/** Whether a call may be the one request of PROBATION: not if a capability check is configured, which is that request then. */
const hasPermitLeft = (state: HealthState): boolean =>
  state.state === 'PROBATION' && state.permit === null && state.settings.capability === null;

const isThrottled = (state: HealthState, now: number): boolean =>
  state.state === 'HEALTHY' && state.throttledUntil !== null && now < state.throttledUntil;

/** May a call be sent to it now? A yes with `permit` holds only for the call that the machine then admits. */
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
