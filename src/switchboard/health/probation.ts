// The health state PROBATION: exactly one request decides whether the server is healthy. That request is the capability check if one is
// configured, else a client's call. If no call comes, or the check never gets a result, readiness checks decide.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { afterCheck, type CellsOf, connectedCells, healthReason, isExcused, momentOf, withSettings } from './cell.js';
import { askDue, hurry, replan } from './checking.js';
import type { EventOf, HealthEvent } from './event.js';
import { type Move, stay, toHealthy, toQuarantine } from './moves.js';
import type { Probation } from './state.js';

const failed = (state: Probation, event: HealthEvent, now: number, words: string): Move => {
  const reason = healthReason('probation_failed', words);
  return toQuarantine(state, { reason, doubled: true, drain: event.type !== 'lost' }, momentOf(event, now));
};

const isHolder = (state: Probation, event: { readonly call: string }): boolean =>
  state.permit?.by === 'call' && state.permit.call === event.call;

/** Frees the permit for PROBATION's one request, and restarts the time (`probationIdleMs`) after which readiness checks decide. */
const freed = (state: Probation, now: number): Probation => {
  if (state.permit === null) return state;
  const checking = hurry(state.checking, 'readiness', now + SWITCHBOARD_LIMITS.probationIdleMs);
  return { ...state, permit: null, idleSince: now, readyPasses: 0, checking };
};

const takePermit = (state: Probation, event: EventOf<'permit_taken'>): Move => {
  if (state.permit !== null || state.settings.capability !== null) return stay(state);
  const { call } = event;
  return { state: { ...state, permit: { by: 'call', call }, readyPasses: 0 }, effects: [{ do: 'admit', call }] };
};

/**
 * Whether readiness checks may end PROBATION: no call has the permit, and the idle time and the time for a capability check are over. A
 * capability check that could not be recorded never gets a result, and without this rule it would keep the permit for ever.
 */
const isIdle = ({ permit, idleSince, settings: { capability } }: Probation, now: number): boolean => {
  if (permit?.by === 'call') return false;
  const checkMs = capability === null ? 0 : capability.timeoutMs + SWITCHBOARD_LIMITS.checkGraceMs;
  return now - idleSince >= Math.max(SWITCHBOARD_LIMITS.probationIdleMs, checkMs);
};

const readinessPassed = (state: Probation, event: EventOf<'check_passed'>, now: number): Move => {
  if (!isIdle(state, now)) return stay(state);
  const readyPasses = state.readyPasses + 1;
  return readyPasses < SWITCHBOARD_LIMITS.probationPasses
    ? stay({ ...state, readyPasses })
    : toHealthy(state, momentOf(event, now));
};

const checkPassed = (state: Probation, event: EventOf<'check_passed'>, now: number): Move => {
  const checked = afterCheck(state, event, now);
  if (checked === undefined) return stay(state);
  if (event.signal === 'capability') return toHealthy(state, momentOf(event, now));
  return event.signal === 'readiness' ? readinessPassed(checked, event, now) : stay(checked);
};

const checkFailed = (state: Probation, event: EventOf<'check_failed'>, now: number): Move => {
  const { signal } = event;
  const checked = afterCheck(state, event, now);
  if (checked === undefined) return stay(state);
  if (signal === 'capability') return failed(state, event, now, 'its capability check failed');
  const next = { ...checked, readyPasses: signal === 'readiness' ? 0 : state.readyPasses };
  if (isExcused(event)) return stay(next);
  const count = state.failures[signal] + 1;
  const counted = { ...next, failures: { ...state.failures, [signal]: count } };
  return signal === 'readiness' && count >= state.settings.failuresToQuarantine
    ? failed(counted, event, now, `${count} readiness failures in a row`)
    : stay(counted);
};

const checkCancelled = (state: Probation, event: EventOf<'check_cancelled'>, now: number): Move => {
  const next = afterCheck(state, event, now);
  if (next === undefined || event.signal !== 'capability') return stay(next ?? state);
  // The idle time of PROBATION is not restarted here: a check that is cancelled again and again would prolong it for ever.
  const { idleSince, readyPasses } = state;
  return stay({ ...freed(next, now), idleSince, readyPasses });
};

const callAnswered = (state: Probation, event: EventOf<'call_answered'>, now: number): Move =>
  isHolder(state, event) ? toHealthy(state, momentOf(event, now)) : stay(state);

const callFailed = (state: Probation, event: EventOf<'call_failed'>, now: number): Move => {
  if (!isHolder(state, event)) return stay(state);
  if (event.sentAt < state.awakeSince) return stay(freed(state, now));
  return failed(state, event, now, 'its one request got no answer');
};

const callDropped = (
  state: Probation,
  event: EventOf<'call_cancelled'> | EventOf<'call_not_sent'>,
  now: number,
): Move => stay(isHolder(state, event) ? freed(state, now) : state);

/** Applies new settings. A capability check that is removed gives its permit back; one that is added waits for the call with the permit. */
const settingsChanged = (state: Probation, event: EventOf<'settings_changed'>, now: number): Move => {
  const { settings } = event;
  const replanned = { ...withSettings(state, settings), checking: replan(state.checking, settings, now) };
  if (settings.capability === null) return stay(state.permit?.by === 'check' ? freed(replanned, now) : replanned);
  return stay({ ...replanned, checking: hurry(replanned.checking, 'capability', now) });
};

const tick = (state: Probation, _event: HealthEvent, now: number): Move => {
  const { capability } = state.checking;
  if (capability === null || capability.at > now) return askDue(state, now);
  if (state.permit?.by !== 'call') return askDue({ ...state, permit: { by: 'check' } }, now);
  const checking = { ...state.checking, capability: { at: now + SWITCHBOARD_LIMITS.recheckMs, running: null } };
  return askDue({ ...state, checking }, now);
};

export const PROBATION: CellsOf<'PROBATION'> = {
  ...connectedCells<'PROBATION'>({ call_answered: callAnswered, check_passed: checkPassed }),
  lost: (state, event, now) => failed(state, event, now, 'its connection was lost'),
  check_failed: checkFailed,
  check_cancelled: checkCancelled,
  permit_taken: takePermit,
  call_failed: callFailed,
  call_cancelled: callDropped,
  call_not_sent: callDropped,
  settings_changed: settingsChanged,
  tick,
};
