// The health state HEALTHY. The failures in a row of calls, and those of each kind of check, are counted; too many lead to QUARANTINE.
import {
  afterCheck,
  type CellsOf,
  cleared,
  connectedCells,
  healthReason,
  isExcused,
  momentOf,
  withSettings,
} from './cell.js';
import { askDue, hurry, replan } from './checking.js';
import type { EventOf } from './event.js';
import { type Moment, type Move, stay, toQuarantine, toStarting } from './moves.js';
import { isNoNews } from './permits.js';
import type { Healthy, Signal } from './state.js';

/** Counts one more failure in a row of calls or of a kind of check. Too many lead to QUARANTINE; after `afterFailures` the capability check runs. */
const countFailure = (state: Healthy, signal: Signal, moment: Moment): Move => {
  const count = state.failures[signal] + 1;
  const failures = { ...state.failures, [signal]: count };
  const { capability, failuresToQuarantine } = state.settings;
  if (count >= failuresToQuarantine) {
    const reason = healthReason(`${signal}_failures`, `${count} ${signal} failures in a row`);
    return toQuarantine({ ...state, failures }, { reason, doubled: false, drain: true }, moment);
  }
  const atOnce = signal !== 'capability' && count === capability?.afterFailures;
  const checking = atOnce ? hurry(state.checking, 'capability', moment.now) : state.checking;
  const next = { ...state, failures, checking };
  return atOnce ? askDue(next, moment.now) : stay(next);
};

const checked = (state: Healthy, event: EventOf<'check_passed' | 'check_cancelled'>, now: number): Move =>
  stay(afterCheck(state, event, now) ?? state);

const checkFailed = (state: Healthy, event: EventOf<'check_failed'>, now: number): Move => {
  const next = afterCheck(state, event, now);
  if (next === undefined || isExcused(event)) return stay(next ?? state);
  return countFailure(next, event.signal, momentOf(event, now));
};

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

const lost = (state: Healthy, event: EventOf<'lost'>, now: number): Move => {
  const { stabilityWindowMs, failuresToQuarantine } = state.settings;
  const losses = [...state.losses.filter((at) => now - at < stabilityWindowMs), now];
  if (losses.length < failuresToQuarantine)
    return toStarting(state, losses, healthReason('lost', 'its connection was lost', event), now);
  const reason = healthReason('lost', `its connection was lost ${times(losses.length)}`, event);
  return toQuarantine(state, { reason, doubled: false, drain: false }, momentOf(event, now));
};

export const HEALTHY: CellsOf<'HEALTHY'> = {
  ...connectedCells<'HEALTHY'>({
    call_answered: (state) => stay(isNoNews(state) ? state : { ...state, failures: cleared(state, 'call') }),
    check_passed: checked,
  }),
  lost,
  check_failed: checkFailed,
  check_cancelled: checked,
  permit_taken: stay,
  call_failed: (state, event, now) =>
    event.sentAt < state.awakeSince ? stay(state) : countFailure(state, 'call', momentOf(event, now)),
  call_cancelled: stay,
  call_not_sent: stay,
  settings_changed: (state, { settings }, now) =>
    stay({ ...withSettings(state, settings), checking: replan(state.checking, settings, now) }),
  tick: (state, _event, now) => askDue(state, now),
};
