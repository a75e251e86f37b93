// The health machine of one server: a pure function of state, event and time, so that records can be replayed. Only this machine judges a
// server; listing, routing, refusals, the board and the records read its state. The machine has no clock, timer, socket or randomness.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { CellsOf } from './cell.js';
import { restart } from './checking.js';
import { QUARANTINE, STARTING, UNHEALTHY } from './down.js';
import type { EventType, HealthEffect, HealthEvent, Transition } from './event.js';
import { HEALTHY } from './healthy.js';
import { type Beginning, fresh, type Move } from './moves.js';
import { PROBATION } from './probation.js';
import { type Health, type HealthState, isDialled, NO_FAILURES, nextWake, REMOVED } from './state.js';

export const CELLS: { readonly [H in Health]: CellsOf<H> } = { STARTING, HEALTHY, UNHEALTHY, QUARANTINE, PROBATION };

type AnyCell = (state: HealthState, event: HealthEvent, now: number) => Move;

const cellOf = (state: Health, type: EventType): AnyCell =>
  // TypeScript cannot see that CELLS[state][type] takes exactly this state and this event; the type of CELLS makes sure that it does.
  CELLS[state][type] as AnyCell;

/** The first state and effects for a server that has just appeared in the configuration. */
export const begin = (beginning: Beginning, nowMs: number): Move => {
  const { state, effects } = fresh(beginning, 1, nowMs);
  return { state, effects: [...effects, { do: 'wake', at: state && nextWake(state) }] };
};

/** Returns a server's health state after an event, and the effects to carry out in order. Most events do not change the state. */
export const stepHealth = (state: HealthState | null, event: HealthEvent, nowMs: number): Move => {
  if (state === null || isStale(state, event)) return { state, effects: [] };
  const settled = settle(hasSlept(state, event, nowMs) ? awake(state, nowMs) : state, nowMs);
  const move = cellOf(settled.state, event.type)(settled, event, nowMs);
  return {
    state: move.state,
    effects: [...recording(state, event, move, nowMs), ...move.effects, ...waking(state, event, move)],
  };
};

/** Whether an event is about an earlier connection, as the number of the dial (attempt to connect) in the event tells. */
const isStale = (state: HealthState, event: HealthEvent): boolean =>
  'dial' in event && (event.dial !== state.dial || !isDialled(state));

/** Whether the computer slept: a tick came very late, or another event comes long after a tick was due. */
const hasSlept = (state: HealthState, event: HealthEvent, now: number): boolean => {
  const wake = nextWake(state);
  const lateMs = Math.max(event.type === 'tick' ? event.lateMs : 0, wake === null ? 0 : now - wake);
  return lateMs > SWITCHBOARD_LIMITS.sleptMs;
};

/** The health state after the computer slept: failures are forgotten, checks are due now, and an attempt to connect gets its full time again. */
const awake = (state: HealthState, now: number): HealthState => {
  const rested = { ...state, failures: NO_FAILURES, awakeSince: now };
  const deadline = now + state.settings.startTimeoutMs;
  switch (rested.state) {
    case 'STARTING':
      return { ...rested, deadline };
    case 'UNHEALTHY':
    case 'QUARANTINE':
      return rested.deadline === null ? rested : { ...rested, deadline };
    case 'HEALTHY':
      return { ...rested, checking: restart(rested.checking, now) };
    case 'PROBATION':
      return { ...rested, readyPasses: 0, checking: restart(rested.checking, now) };
  }
};

/** Resets a doubled cooldown to the configured one after a whole stability window in HEALTHY. */
const settle = (state: HealthState, now: number): HealthState => {
  const { cooldownMs, stabilityWindowMs } = state.settings;
  const isStable = state.state === 'HEALTHY' && now - state.since >= stabilityWindowMs;
  return isStable && state.cooldownMs !== cooldownMs ? { ...state, cooldownMs } : state;
};

/** Whether a change is recorded, as everything is that a person asked for. Another retry that fails for the same reason as before is not, because a dead server would fill the ledger. */
const isTransition = (before: HealthState, event: HealthEvent, after: HealthState | null): boolean =>
  after === null ||
  event.type === 'connection_changed' ||
  (event.type === 'asked' && after !== before) ||
  before.state !== after.state ||
  before.reason?.code !== after.reason?.code;

const recording = (before: HealthState, event: HealthEvent, { state: after }: Move, at: number): HealthEffect[] => {
  if (!isTransition(before, event, after)) return [];
  const reason = after === null ? REMOVED : after.reason;
  return [{ do: 'record', from: before.state, to: after?.state ?? null, reason, at, event, before }];
};

/** The effect that sets the time of the next tick. It is returned after every tick, and after another event only if that time has changed. */
const waking = (before: HealthState, event: HealthEvent, { state: after }: Move): HealthEffect[] => {
  if (after === before) return event.type === 'tick' ? [{ do: 'wake', at: nextWake(before) }] : [];
  const at = after && nextWake(after);
  return event.type === 'tick' || at !== nextWake(before) ? [{ do: 'wake', at }] : [];
};

/** A recorded transition that a replay does not repeat: somebody changed the record, or this version of the machine decides otherwise. */
export interface Mismatch {
  readonly index: number;
  readonly recorded: Transition['to'];
  readonly replayed: Transition['to'];
}

const codeOf = (reason: Transition['reason']): string | undefined => reason?.code;

/** Runs recorded transitions through the health machine again, and returns those that now end otherwise. */
export const replay = (transitions: readonly Transition[]): readonly Mismatch[] =>
  transitions.flatMap((recorded, index) => {
    const { effects } = stepHealth(recorded.before, recorded.event, recorded.at);
    const again = effects.find((effect) => effect.do === 'record');
    const replayed = again === undefined ? recorded.before.state : again.to;
    const isSame = replayed === recorded.to && codeOf(again?.reason ?? null) === codeOf(recorded.reason);
    return isSame ? [] : [{ index, recorded: recorded.to, replayed }];
  });
