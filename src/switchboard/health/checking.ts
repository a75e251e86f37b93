// Decides when health checks are due. The functions are pure: an effect that they return asks for a check, and an event brings its result.
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

/** Changes `ms` by at most a tenth, so that many servers are not checked at the same moment. `jitter`: from -1 to 1; if invalid, 0. */
export const jittered = (ms: number, jitter: number | undefined): number => {
  const share = Number.isFinite(jitter) ? Math.max(-1, Math.min(1, jitter ?? 0)) : 0;
  return Math.round(ms * (1 + SWITCHBOARD_LIMITS.jitterShare * share));
};

const waiting = (at: number): Slot => ({ at, running: null });

/** The schedule of all checks, each due one interval from now. */
export const plan = (settings: MachineSettings, now: number, jitter: number | undefined): Checking => ({
  liveness: waiting(now + jittered(settings.liveness.intervalMs, jitter)),
  readiness: waiting(now + jittered(settings.readiness.intervalMs, jitter)),
  capability: settings.capability && waiting(now + jittered(settings.capability.intervalMs, jitter)),
});

/** Makes a check due at `at` if the check was due later; a running check is left alone. */
export const hurry = (checking: Checking, signal: CheckSignal, at: number): Checking => {
  const slot = checking[signal];
  if (slot === null || slot.running !== null || slot.at <= at) return checking;
  return { ...checking, [signal]: waiting(at) };
};

/** The schedule after the computer slept: all checks are due now and none counts as running, because one from before the sleep proves nothing. */
export const restart = (checking: Checking, now: number): Checking => ({
  liveness: waiting(now),
  readiness: waiting(now),
  capability: checking.capability && waiting(now),
});

/** The schedule after a check: the next check is due after its interval, or soon if the check did not pass. */
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

/** The schedule after a change of settings: no check is due later than one new interval from now. */
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

/** Returns an effect for every check that is due. A check whose result never came is asked for again under a new number. */
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
