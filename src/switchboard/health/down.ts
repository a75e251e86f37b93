// The health states STARTING, UNHEALTHY and QUARANTINE, in which a server gets no calls: a dial (an attempt to connect) is under way, or
// Colibri waits until the next dial is due.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import {
  ANYWHERE,
  type CellsOf,
  faultReason,
  healthReason,
  isEmptied,
  momentOf,
  toAuthRequired,
  withSettings,
} from './cell.js';
import type { EventOf, HealthEvent } from './event.js';
import { type Moment, type Move, stay, toHealthy, toProbation, toUnhealthy } from './moves.js';
import type { Account, DialFault, Quarantine, Starting, Unhealthy } from './state.js';

type Down = Starting | Unhealthy | Quarantine;

const failed = (state: Down, fault: DialFault, moment: Moment, how?: Partial<Account>): Move =>
  toUnhealthy(state, { reason: faultReason(fault, how) }, moment);

const dialled = (state: Down, event: EventOf<'dialled'>, now: number): Move => {
  const moment = momentOf(event, now);
  if (isEmptied(state, event.catalogueSize)) return failed(state, 'empty_catalogue', moment);
  if (state.state !== 'STARTING') return toProbation(state, event.catalogueSize, moment);
  return toHealthy({ ...state, catalogueSize: event.catalogueSize }, moment);
};

const dialFailed = (state: Down, event: EventOf<'dial_failed'>, now: number): Move =>
  failed(state, event.fault, momentOf(event, now), event);

const lost = (state: Down, event: EventOf<'lost'>, now: number): Move =>
  failed(state, 'exited', momentOf(event, now), event);

/** Handles HTTP 429 to an attempt to connect: it does not count as failed and is repeated after the pause that the server asks for. */
const throttled = (state: Down, event: EventOf<'throttled'>, now: number): Move => {
  const { cooldownMaxMs, cooldownMs } = state.settings;
  const retryMs = Math.min(Math.max(event.retryAfterMs ?? cooldownMs, SWITCHBOARD_LIMITS.retryFirstMs), cooldownMaxMs);
  return toUnhealthy(
    state,
    { reason: healthReason('throttled', 'it asks for a pause'), retryMs },
    momentOf(event, now),
  );
};

/** Starts a dial (an attempt to connect) when one is due, and gives it up when it has taken too long. */
const tick = (state: Down, event: HealthEvent, now: number): Move => {
  const moment = momentOf(event, now);
  if (state.state === 'STARTING') return now < state.deadline ? stay(state) : failed(state, 'start_timeout', moment);
  const { deadline, settings } = state;
  if (deadline !== null) return now < deadline ? stay(state) : failed(state, 'start_timeout', moment);
  const due = state.state === 'QUARANTINE' ? state.until : state.retryAt;
  if (due === null || now < due) return stay(state);
  const dialling = { ...state, deadline: now + settings.startTimeoutMs };
  return { state: dialling, effects: [{ do: 'dial', dial: state.dial }] };
};

const shared = {
  ...ANYWHERE,
  dialled,
  dial_failed: dialFailed,
  lost,
  throttled,
  auth_required: toAuthRequired,
  catalogue_changed: stay,
  check_passed: stay,
  check_failed: stay,
  check_cancelled: stay,
  permit_taken: stay,
  call_answered: stay,
  call_failed: stay,
  call_cancelled: stay,
  call_not_sent: stay,
  settings_changed: (state: Down, { settings }: EventOf<'settings_changed'>): Move =>
    stay(withSettings(state, settings)),
  tick,
} as const;

export const STARTING: CellsOf<'STARTING'> = shared;

export const UNHEALTHY: CellsOf<'UNHEALTHY'> = {
  ...shared,
  // The changed settings may be new credentials, so a server that wanted credentials is dialled again at once.
  settings_changed: (state, { settings }, now) => {
    const retryAt = state.reason.code === 'auth_required' ? now : state.retryAt;
    return stay({ ...withSettings(state, settings), retryAt });
  },
};

export const QUARANTINE: CellsOf<'QUARANTINE'> = shared;
