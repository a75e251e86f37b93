// When checks are due and what asking for them changes. Pure: a check is asked for by an effect and answered by an event.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { HealthEffect } from './event.js';
import {
  CHECK_SIGNALS,
  type Checking,
  type CheckSettings,
  type CheckSignal,
  type Healthy,
  type MachineSettings,
  type Probation,
  type Slot,
} from './state.js';

/** Spread by up to a tenth, so that many servers are not asked at the same moment. A bad number spreads nothing. */
export const jittered = (ms: number, jitter: number | undefined): number => {
  const share = Number.isFinite(jitter) ? Math.max(-1, Math.min(1, jitter ?? 0)) : 0;
  return Math.round(ms * (1 + SWITCHBOARD_LIMITS.jitterShare * share));
};

const waiting = (at: number): Slot => ({ at, running: null });

/** All checks an interval from now. */
export const plan = (settings: MachineSettings, now: number, jitter: number | undefined): Checking => ({
  liveness: waiting(now + jittered(settings.liveness.intervalMs, jitter)),
  readiness: waiting(now + jittered(settings.readiness.intervalMs, jitter)),
  capability: settings.capability && waiting(now + jittered(settings.capability.intervalMs, jitter)),
});

/** Brings checks forward, never back; one that runs is left alone. */
export const hurry = (checking: Checking, signal: CheckSignal, at: number): Checking => {
  const slot = checking[signal];
  if (slot === null || slot.running !== null || slot.at <= at) return checking;
  return { ...checking, [signal]: waiting(at) };
};

/** All checks now, as if none ran: what runs since before a sleep proves nothing. */
export const restart = (checking: Checking, now: number): Checking => ({
  liveness: waiting(now),
  readiness: waiting(now),
  capability: checking.capability && waiting(now),
});

/** A check ended: the next comes after its interval, or soon when it did not pass. */
export const answered = (
  checking: Checking,
  settings: CheckSettings,
  end: { readonly signal: CheckSignal; readonly passed: boolean; readonly now: number; readonly jitter?: number },
): Checking => {
  const pause = end.passed
    ? jittered(settings.intervalMs, end.jitter)
    : Math.min(SWITCHBOARD_LIMITS.recheckMs, settings.intervalMs);
  return { ...checking, [end.signal]: waiting(end.now + pause) };
};

/** Other settings: nothing is due later than they would have it. */
export const replan = (checking: Checking, settings: MachineSettings, now: number): Checking => {
  const sooner = (slot: Slot, { intervalMs }: CheckSettings): Slot =>
    slot.running === null && slot.at > now + intervalMs ? waiting(now + intervalMs) : slot;
  const { capability } = settings;
  return {
    liveness: sooner(checking.liveness, settings.liveness),
    readiness: sooner(checking.readiness, settings.readiness),
    capability: capability && sooner(checking.capability ?? waiting(now + capability.intervalMs), capability),
  };
};

/** Asks for every check that is due. One that nobody reported on is asked for again under a new number. */
export const askDue = <S extends Healthy | Probation>(
  state: S,
  now: number,
): { readonly state: S; readonly effects: readonly HealthEffect[] } => {
  const effects: HealthEffect[] = [];
  let { checks, checking } = state;
  for (const signal of CHECK_SIGNALS) {
    const slot = checking[signal];
    const settings = state.settings[signal];
    if (slot === null || settings === null || slot.at > now) continue;
    checks += 1;
    checking = {
      ...checking,
      [signal]: { at: now + settings.timeoutMs + SWITCHBOARD_LIMITS.checkGraceMs, running: checks },
    };
    effects.push({ do: 'check', dial: state.dial, signal, check: checks });
  }
  return effects.length === 0 ? { state, effects } : { state: { ...state, checks, checking }, effects };
};
