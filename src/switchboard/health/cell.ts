// A cell is the function of the health machine for one state and one event. This file has what cells share: their type, the transitions
// that are the same in several states, and small predicates.
import { CORE_LIMITS } from '../../core/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { answered } from './checking.js';
import type { EventOf, EventType } from './event.js';
import { gone, type Moment, type Move, reconnect, stay, toUnhealthy } from './moves.js';
import {
  type Account,
  type DialFault,
  type Health,
  type HealthState,
  type Healthy,
  type MachineSettings,
  type Probation,
  type Reason,
  type ReasonCode,
  SIGNALS,
  type Signal,
  type StateOf,
} from './state.js';

export type Cell<S extends HealthState, T extends EventType> = (state: S, event: EventOf<T>, now: number) => Move;

/** The cells (functions for one state and one event) of one health state. A state without a cell for every event does not compile. */
export type CellsOf<H extends Health> = { readonly [T in EventType]: Cell<StateOf<H>, T> };

export const momentOf = (event: { readonly jitter?: number }, now: number): Moment => ({ now, jitter: event.jitter });

const FAULT_WORDS: Readonly<Record<DialFault, string>> = {
  spawn_error: 'it could not be started or reached',
  exited: 'it ended while it was starting',
  handshake_refused: 'it refused the handshake',
  start_timeout: 'it did not start in time',
  empty_catalogue: 'it offers nothing where it did before',
};

const bounded = (text: string): string => text.toWellFormed().slice(0, CORE_LIMITS.messageChars).toWellFormed();

export const healthReason = (code: ReasonCode, words: string, { text = '', said }: Partial<Account> = {}): Reason => ({
  code,
  text: bounded(text === '' ? words : `${words}: ${text}`),
  ...(said !== undefined && { said: bounded(said) }),
});

export const faultReason = (fault: DialFault, how?: Partial<Account>): Reason =>
  healthReason(fault, FAULT_WORDS[fault], how);

/** The failure counts after a success of `signal`: the counts of it and of the signals before it in SIGNALS become zero, the others stay. */
export const cleared = ({ failures }: HealthState, signal: Signal): HealthState['failures'] => {
  const reached = SIGNALS.slice(0, SIGNALS.indexOf(signal) + 1);
  return { ...failures, ...Object.fromEntries(reached.map((name) => [name, 0])) };
};

/**
 * The state after a health check ended; a check that passed clears failure counts. Undefined if the check is not the one that runs now: it
 * was given up, or it began before the computer slept.
 */
export const afterCheck = <S extends Healthy | Probation>(
  state: S,
  event: EventOf<'check_passed' | 'check_failed' | 'check_cancelled'>,
  now: number,
): S | undefined => {
  const settings = state.settings[event.signal];
  if (settings === null || state.checking[event.signal]?.running !== event.check) return undefined;
  const passed = event.type === 'check_passed';
  const failures = passed ? cleared(state, event.signal) : state.failures;
  return { ...state, failures, checking: answered(state.checking, settings, { ...event, passed, now }) };
};

/** Whether a failed check does not count: a server that is busy with a call may be slow to answer a readiness check. */
export const isExcused = (event: EventOf<'check_failed'>): boolean =>
  event.signal === 'readiness' && event.how === 'timeout' && event.callInFlight;

export const isEmptied = (state: HealthState, catalogueSize: number): boolean =>
  catalogueSize === 0 && (state.catalogueSize ?? 0) > 0;

const catalogueChanged = (state: Healthy | Probation, event: EventOf<'catalogue_changed'>, now: number): Move => {
  const { catalogueSize } = event;
  if (isEmptied(state, catalogueSize))
    return toUnhealthy(state, { reason: faultReason('empty_catalogue'), drain: true }, momentOf(event, now));
  return stay({ ...state, catalogueSize });
};

/** Makes calls be refused during the pause that the server asked for (HTTP 429 with Retry-After), but not longer than `cooldownMaxMs`. */
const heldBack = (move: Move, { retryAfterMs }: EventOf<'throttled'>, now: number): Move => {
  const { state } = move;
  if (state?.state !== 'HEALTHY' || retryAfterMs === null) return move;
  const pauseMs = Math.min(Math.max(retryAfterMs, 0), state.settings.cooldownMaxMs);
  return { ...move, state: { ...state, throttledUntil: now + pauseMs } };
};

export const toAuthRequired = (state: HealthState, event: EventOf<'auth_required'>, now: number): Move => {
  const reason = healthReason('auth_required', `it wants credentials (HTTP ${event.status})`);
  return toUnhealthy(state, { reason, retryMs: SWITCHBOARD_LIMITS.authRetryMs, drain: true }, momentOf(event, now));
};

/** Replaces the settings in a server's health state. If its cooldown was the configured one, it becomes the newly configured one. */
export const withSettings = <S extends HealthState>(state: S, settings: MachineSettings): S => ({
  ...state,
  settings,
  cooldownMs:
    state.cooldownMs === state.settings.cooldownMs
      ? settings.cooldownMs
      : Math.min(state.cooldownMs, settings.cooldownMaxMs),
});

/** Whether a server waits for a person: then a new attempt to connect is of no use, or not permitted. */
const isHeld = ({ reason }: HealthState): boolean =>
  reason?.code === 'not_approved' || reason?.code === 'missing_variable';

/**
 * What a person asked for. A server that does not work is dialled now and, if that succeeds, enters PROBATION as after any pause: a person cannot
 * let it have more than one request either. One that works is closed first. The one request of PROBATION is not waited for: if it were, it
 * and the one of the next PROBATION would be two.
 */
const asked = (state: HealthState, event: EventOf<'asked'>, now: number): Move => {
  if (state.state === 'UNHEALTHY' || state.state === 'QUARANTINE') {
    if (state.deadline !== null || isHeld(state)) return stay(state);
    const dialling = { ...state, deadline: now + state.settings.startTimeoutMs };
    return { state: dialling, effects: [{ do: 'dial', dial: state.dial }] };
  }
  if (event.what === 'retry') return stay(state);
  const reason = healthReason('restarted', `${event.by} restarted it`);
  return toUnhealthy(state, { reason, retryMs: 0, drain: state.state === 'HEALTHY' }, momentOf(event, now));
};

/** The cells (functions for one state and one event) that are the same in every health state. */
export const ANYWHERE = {
  asked,
  connection_changed: reconnect,
  removed: gone,
} as const;

/**
 * The cells (functions for one state and one event) that HEALTHY and PROBATION share. HTTP 429 to a call or a check, and 403 to a call,
 * count as an answer of the server.
 */
export const connectedCells = <H extends 'HEALTHY' | 'PROBATION'>(
  answers: Pick<CellsOf<H>, 'call_answered' | 'check_passed'>,
) => {
  const asIfAnswered = (state: StateOf<H>, event: EventOf<'throttled' | 'auth_required'>, now: number): Move => {
    if (event.during === 'call') return answers.call_answered(state, { ...event, type: 'call_answered' }, now);
    return event.during === 'dial' ? stay(state) : answers.check_passed(state, { ...event, type: 'check_passed' }, now);
  };
  return {
    ...ANYWHERE,
    ...answers,
    dialled: stay,
    dial_failed: stay,
    catalogue_changed: catalogueChanged,
    // HTTP 401 always means that the server wants credentials; 403 means so only if it answers an attempt to connect or a check, not a call.
    auth_required: (state: StateOf<H>, event: EventOf<'auth_required'>, now: number): Move =>
      event.status === 401 || event.during !== 'call'
        ? toAuthRequired(state, event, now)
        : asIfAnswered(state, event, now),
    throttled: (state: StateOf<H>, event: EventOf<'throttled'>, now: number): Move =>
      heldBack(asIfAnswered(state, event, now), event, now),
  };
};
