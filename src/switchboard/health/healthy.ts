// HEALTHY: calls and checks are counted, by signal, until one of them has failed too often in a row.

import {
  ANYWHERE,
  asAnswer,
  type CellsOf,
  cleared,
  faultReason,
  isEmptied,
  isExcused,
  isRunning,
  momentOf,
  reasonOf,
  toAuthRequired,
  wantsCredentials,
  withSettings,
} from './cell.js';
import { answered, askDue, hurry, replan } from './checking.js';
import type { EventOf } from './event.js';
import { type Moment, type Move, stay, toQuarantine, toStarting, toUnhealthy } from './moves.js';
import type { Healthy, Signal } from './state.js';

/** Same object when nothing changes: this is what every answered call passes. */
const succeeded = (state: Healthy, signal: Signal): Healthy => {
  const failures = cleared(state.failures, signal);
  return failures === state.failures ? state : { ...state, failures };
};

/** One more failure in a row. The capability check's own failures keep to the pause after a failed check. */
const countFailure = (state: Healthy, signal: Signal, moment: Moment): Move => {
  const count = state.failures[signal] + 1;
  const failures = { ...state.failures, [signal]: count };
  const { capability, failuresToQuarantine } = state.settings;
  if (count >= failuresToQuarantine) {
    const reason = reasonOf(`${signal}_failures`, `${count} ${signal} failures in a row`);
    return toQuarantine({ ...state, failures }, { reason, doubled: false, drain: true }, moment);
  }
  const atOnce = signal !== 'capability' && count === capability?.afterFailures;
  const checking = atOnce ? hurry(state.checking, 'capability', moment.now) : state.checking;
  const next = { ...state, failures, checking };
  return atOnce ? askDue(next, moment.now) : stay(next);
};

const checkPassed = (state: Healthy, event: EventOf<'check_passed'>, now: number): Move => {
  const settings = state.settings[event.signal];
  if (settings === null || !isRunning(state, event)) return stay(state);
  const checking = answered(state.checking, settings, { ...event, passed: true, now });
  return stay({ ...succeeded(state, event.signal), checking });
};

const checkFailed = (state: Healthy, event: EventOf<'check_failed'>, now: number): Move => {
  const settings = state.settings[event.signal];
  if (settings === null || !isRunning(state, event)) return stay(state);
  const next = { ...state, checking: answered(state.checking, settings, { ...event, passed: false, now }) };
  return isExcused(event) ? stay(next) : countFailure(next, event.signal, momentOf(event, now));
};

const checkCancelled = (state: Healthy, event: EventOf<'check_cancelled'>, now: number): Move => {
  const settings = state.settings[event.signal];
  if (settings === null || !isRunning(state, event)) return stay(state);
  return stay({ ...state, checking: answered(state.checking, settings, { ...event, passed: false, now }) });
};

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

const lost = (state: Healthy, event: EventOf<'lost'>, now: number): Move => {
  const { stabilityWindowMs, failuresToQuarantine } = state.settings;
  const losses = [...state.losses.filter((at) => now - at < stabilityWindowMs), now];
  if (losses.length < failuresToQuarantine)
    return toStarting(state, losses, reasonOf('lost', 'its connection was lost', event), now);
  const reason = reasonOf('lost', `its connection was lost ${times(losses.length)}`, event);
  return toQuarantine(state, { reason, doubled: false, drain: false }, momentOf(event, now));
};

const catalogueChanged = (state: Healthy, event: EventOf<'catalogue_changed'>, now: number): Move => {
  const { catalogueSize } = event;
  if (isEmptied(state, catalogueSize))
    return toUnhealthy(state, { reason: faultReason('empty_catalogue'), drain: true }, momentOf(event, now));
  return stay({ ...state, catalogueSize });
};

/** 429 is an answer: the server lives. Calls are refused until it wants them again. */
const throttled = (state: Healthy, event: EventOf<'throttled'>, now: number): Move => {
  const answer = asAnswer(event);
  if (answer === undefined) return stay(state);
  const move = answer.type === 'check_passed' ? checkPassed(state, answer, now) : stay(succeeded(state, 'call'));
  if (move.state?.state !== 'HEALTHY' || event.retryAfterMs === null) return move;
  return { ...move, state: { ...move.state, throttledUntil: throttleEnd(move.state, event.retryAfterMs, now) } };
};

/** Not longer than the longest cooldown, whatever the server says. */
export const throttleEnd = (state: Healthy, retryAfterMs: number, now: number): number =>
  now + Math.min(Math.max(retryAfterMs, 0), state.settings.cooldownMaxMs);

export const HEALTHY: CellsOf<'HEALTHY'> = {
  ...ANYWHERE,
  dialled: stay,
  dial_failed: stay,
  lost,
  catalogue_changed: catalogueChanged,
  check_passed: checkPassed,
  check_failed: checkFailed,
  check_cancelled: checkCancelled,
  permit_taken: stay,
  call_answered: (state) => stay(succeeded(state, 'call')),
  call_failed: (state, event, now) =>
    event.sentAt < state.awakeSince ? stay(state) : countFailure(state, 'call', momentOf(event, now)),
  call_cancelled: stay,
  call_not_sent: stay,
  auth_required: (state, event, now) =>
    wantsCredentials(event) ? toAuthRequired(state, event, now) : stay(succeeded(state, 'call')),
  throttled,
  settings_changed: (state, { settings }, now) =>
    stay({ ...withSettings(state, settings), checking: replan(state.checking, settings, now) }),
  tick: (state, _event, now) => askDue(state, now),
};
