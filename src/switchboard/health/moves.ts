// How each health state is entered: the fields that the state starts with, and the effects of entering it.
// Which state is entered is decided in healthy.ts, down.ts and probation.ts.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { askDue, hurry, jittered, plan } from './checking.js';
import type { EventOf, HealthEffect } from './event.js';
import {
  type Common,
  type HealthState,
  type Hold,
  isDialled,
  type MachineSettings,
  NO_FAILURES,
  type Reason,
} from './state.js';

/** A server's next health state, and the effects to carry out. The state is null if the server was removed from the configuration. */
export interface Move {
  readonly state: HealthState | null;
  readonly effects: readonly HealthEffect[];
}

/** The time of an event, and the random number (`jitter`) that the event carries. */
export interface Moment {
  readonly now: number;
  readonly jitter: number | undefined;
}

export const stay = (state: HealthState): Move => ({ state, effects: [] });

/** Copies only the fields that all health states share, so that other fields of a state do not get into the next state. */
const common = (state: HealthState): Common => ({
  since: state.since,
  dial: state.dial,
  failures: state.failures,
  losses: state.losses,
  cooldownMs: state.cooldownMs,
  attempt: state.attempt,
  alike: state.alike,
  reason: state.reason,
  catalogueSize: state.catalogueSize,
  checks: state.checks,
  awakeSince: state.awakeSince,
  settings: state.settings,
});

const closing = (state: HealthState, drain: boolean): HealthEffect[] =>
  isDialled(state) ? [{ do: 'close', dial: state.dial, drain }] : [];

/** The number of the next dial (attempt to connect): the current number if no dial has used it yet, else the number after it. */
const nextDial = (state: HealthState): number => (isDialled(state) ? state.dial + 1 : state.dial);

const unavailableSince = (state: HealthState, now: number): number =>
  'unavailableSince' in state ? state.unavailableSince : now;

/** Enters STARTING after a lost connection: the server is dialled again at once, and what is left of its old process is ended. */
export const toStarting = (state: HealthState, losses: readonly number[], reason: Reason, now: number): Move => {
  const dial = nextDial(state);
  const deadline = now + state.settings.startTimeoutMs;
  return {
    state: { ...common(state), state: 'STARTING', since: now, dial, deadline, losses, reason, failures: NO_FAILURES },
    effects: [...closing(state, false), { do: 'dial', dial }],
  };
};

export const toHealthy = (state: HealthState, { now, jitter }: Moment): Move => ({
  state: {
    ...common(state),
    state: 'HEALTHY',
    since: now,
    failures: NO_FAILURES,
    attempt: 0,
    alike: 0,
    reason: null,
    checking: plan(state.settings, now, jitter),
    throttledUntil: null,
  },
  effects: [],
});

interface Setback {
  readonly reason: Reason;
  /**
   * The milliseconds until Colibri tries again to connect; null: it does not try again. If absent, an attempt to connect has failed, and
   * the pause doubles with every failed attempt.
   */
  readonly retryMs?: number | null;
  readonly drain?: boolean;
}

const backoff = (attempt: number): number =>
  Math.min(SWITCHBOARD_LIMITS.retryMaxMs, SWITCHBOARD_LIMITS.retryFirstMs * 2 ** attempt);

/** How many dials in a row have failed for the same reason, after one more has failed for `reason`. */
const alikeAfter = ({ alike = 0, reason: last }: HealthState, reason: Reason): number =>
  last?.code === reason.code && last.text === reason.text ? alike + 1 : 1;

export const toUnhealthy = (state: HealthState, setback: Setback, { now, jitter }: Moment): Move => {
  const { reason, retryMs, drain = false } = setback;
  const counted = retryMs === undefined;
  const pause = counted ? backoff(state.attempt) : retryMs;
  const sameTrouble = state.state === 'UNHEALTHY' && state.reason?.code === reason.code;
  return {
    state: {
      ...common(state),
      state: 'UNHEALTHY',
      since: sameTrouble ? state.since : now,
      dial: nextDial(state),
      attempt: state.attempt + (counted ? 1 : 0),
      alike: counted ? alikeAfter(state, reason) : 0,
      reason,
      retryAt: pause === null ? null : now + jittered(pause, jitter),
      deadline: null,
      unavailableSince: unavailableSince(state, now),
    },
    effects: closing(state, drain),
  };
};

interface Verdict {
  readonly reason: Reason;
  readonly doubled: boolean;
  readonly drain: boolean;
}

export const toQuarantine = (state: HealthState, verdict: Verdict, { now, jitter }: Moment): Move => {
  const { cooldownMs: current, settings } = state;
  const cooldownMs = verdict.doubled ? Math.min(settings.cooldownMaxMs, current * 2) : current;
  return {
    state: {
      ...common(state),
      state: 'QUARANTINE',
      since: now,
      dial: nextDial(state),
      losses: [],
      cooldownMs,
      reason: verdict.reason,
      until: now + jittered(cooldownMs, jitter),
      deadline: null,
      unavailableSince: unavailableSince(state, now),
    },
    effects: closing(state, verdict.drain),
  };
};

/** Enters PROBATION. The first readiness check is due after `probationIdleMs`, or after the check's own interval if that is shorter. */
export const toProbation = (state: HealthState, catalogueSize: number, { now, jitter }: Moment): Move => {
  const planned = hurry(plan(state.settings, now, jitter), 'readiness', now + SWITCHBOARD_LIMITS.probationIdleMs);
  return askDue(
    {
      ...common(state),
      state: 'PROBATION',
      since: now,
      failures: NO_FAILURES,
      catalogueSize,
      checking: hurry(planned, 'capability', now),
      permit: state.settings.capability && { by: 'check' },
      idleSince: now,
      readyPasses: 0,
    },
    now,
  );
};

export interface Beginning {
  readonly settings: MachineSettings;
  readonly hold: Hold | null;
  readonly catalogueSize: number | null;
}

const HOLD_WORDS: Readonly<Record<Hold, string>> = {
  not_approved: 'its commands wait for approval',
  missing_variable: 'a variable of its configuration is not set',
};

/** The first health state of a server with a new configuration: STARTING, or UNHEALTHY if a person must act first. */
export const fresh = (beginning: Beginning, dial: number, now: number): Move => {
  const { settings, hold, catalogueSize } = beginning;
  const basis: Common = {
    since: now,
    dial,
    failures: NO_FAILURES,
    losses: [],
    cooldownMs: settings.cooldownMs,
    attempt: 0,
    alike: 0,
    reason: null,
    catalogueSize,
    checks: 0,
    awakeSince: now,
    settings,
  };
  if (hold === null) {
    const deadline = now + settings.startTimeoutMs;
    return { state: { ...basis, state: 'STARTING', deadline }, effects: [{ do: 'dial', dial }] };
  }
  const reason: Reason = { code: hold, text: HOLD_WORDS[hold] };
  return stay({ ...basis, state: 'UNHEALTHY', reason, retryAt: null, deadline: null, unavailableSince: now });
};

/** Starts a new connection beside the old one, which gets no more calls and is closed when the calls in flight have ended. */
export const reconnect = (state: HealthState, event: EventOf<'connection_changed'>, now: number): Move => {
  const { state: next, effects } = fresh(event, nextDial(state), now);
  return { state: next && { ...next, checks: state.checks }, effects: [...closing(state, true), ...effects] };
};

export const gone = (state: HealthState): Move => ({
  state: null,
  effects: closing(state, true),
});
