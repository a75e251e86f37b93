// Random histories of a server: settings, and turns that become events when the state they meet is known.
import fc from 'fast-check';
import type { EventType, HealthEvent } from '../../src/switchboard/health/event.js';
import {
  CHECK_SIGNALS,
  type CheckSignal,
  type HealthState,
  type MachineSettings,
} from '../../src/switchboard/health/state.js';
import { CAPABILITY, SETTINGS } from './health-machine.js';

export const settingsArbitrary: fc.Arbitrary<MachineSettings> = fc.record({
  liveness: fc.constantFrom(SETTINGS.liveness, { intervalMs: 1_000, timeoutMs: 500 }),
  readiness: fc.constantFrom(SETTINGS.readiness, { intervalMs: 2_000, timeoutMs: 9_000 }),
  capability: fc.constantFrom(null, CAPABILITY, { intervalMs: 1_000, timeoutMs: 1_000, afterFailures: 1 }),
  failuresToQuarantine: fc.constantFrom(3, 1, 2, 5),
  cooldownMs: fc.constantFrom(60_000, 1_000),
  cooldownMaxMs: fc.constantFrom(900_000, 60_000),
  startTimeoutMs: fc.constantFrom(30_000, 1_000),
  stabilityWindowMs: fc.constantFrom(300_000, 20_000),
});

/** The longest way to HEALTHY: a quarantine at its cap or the pause for credentials, a dial, the idle time, the checks. */
export const recoveryLimit = ({ cooldownMaxMs, readiness, capability, startTimeoutMs }: MachineSettings): number =>
  1.1 * Math.max(cooldownMaxMs, 900_000, 300_000) +
  2 * startTimeoutMs +
  60_000 +
  (capability?.timeoutMs ?? 0) +
  3.3 * readiness.intervalMs;

/** One step of a history: what happens, to whom, and how much later. */
export interface Turn {
  readonly type: EventType;
  readonly pick: number;
  readonly stale: boolean;
  /** Milliseconds, or a jump to the alarm. */
  readonly pause: number | 'alarm';
  readonly jitter: number;
}

const OFTEN: readonly EventType[] = [
  'tick',
  'tick',
  'dialled',
  'dialled',
  'check_passed',
  'check_failed',
  'call_failed',
];
const SELDOM: readonly EventType[] = [
  'dial_failed',
  'lost',
  'catalogue_changed',
  'check_cancelled',
  'permit_taken',
  'call_answered',
  'call_cancelled',
  'call_not_sent',
  'throttled',
  'settings_changed',
  'asked',
];

export const turnArbitrary: fc.Arbitrary<Turn> = fc.record({
  type: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...OFTEN) },
    { weight: 40, arbitrary: fc.constantFrom(...SELDOM) },
    { weight: 3, arbitrary: fc.constantFrom<EventType>('auth_required', 'connection_changed') },
  ),
  pick: fc.nat(999),
  stale: fc.nat(9).map((n) => n === 0),
  pause: fc.constantFrom<number | 'alarm'>('alarm', 'alarm', 0, 1, 1_000, 5_000, 31_000, 61_000, 400_000),
  jitter: fc.constantFrom(0, -1, 1, 0.37),
});

export const MAX_TURNS = 150;

/** A whole history. */
export const turns = fc.array(turnArbitrary, { maxLength: MAX_TURNS, size: 'max' });

const choose = <T>(from: readonly T[], pick: number): T => from[pick % from.length] as T;
const CALLS = ['a', 'b', 'c'];

/** The check that runs, mostly; sometimes one that does not. */
const checkOf = (state: HealthState, pick: number): { signal: CheckSignal; check: number } => {
  const running = CHECK_SIGNALS.filter((signal) => 'checking' in state && state.checking[signal]?.running != null);
  const signal = choose(running.length > 0 && pick % 7 !== 0 ? running : CHECK_SIGNALS, pick);
  const number = 'checking' in state ? state.checking[signal]?.running : null;
  return { signal, check: number ?? state.checks };
};

const originOf = (state: HealthState, pick: number) =>
  choose(
    [
      { during: 'dial' },
      { during: 'call', call: choose(CALLS, pick) },
      { during: 'check', ...checkOf(state, pick) },
    ] as const,
    pick,
  );

export const eventOf = (turn: Turn, state: HealthState, now: number): HealthEvent => {
  const { type, pick, jitter } = turn;
  const basis = { jitter, dial: state.dial - (turn.stale ? 1 : 0) };
  const call = choose(CALLS, pick);
  switch (type) {
    case 'dialled':
    case 'catalogue_changed':
      return { ...basis, type, catalogueSize: pick % 5 };
    case 'dial_failed':
      return { ...basis, type, fault: choose(['exited', 'spawn_error', 'handshake_refused'], pick) };
    case 'lost':
      return { ...basis, type };
    case 'check_passed':
    case 'check_cancelled':
      return { ...basis, type, ...checkOf(state, pick) };
    case 'check_failed':
      return {
        ...basis,
        type,
        ...checkOf(state, pick),
        how: choose(['timeout', 'wrong'], pick),
        callInFlight: pick % 3 === 0,
      };
    case 'call_failed':
      return { ...basis, type, call, sentAt: now - (pick % 4) * 20_000 };
    case 'permit_taken':
    case 'call_answered':
    case 'call_cancelled':
    case 'call_not_sent':
      return { ...basis, type, call };
    case 'auth_required':
      return { ...basis, type, status: choose([401, 403], pick), ...originOf(state, pick) };
    case 'throttled':
      return { ...basis, type, retryAfterMs: choose([null, 0, 5_000, 1e9], pick), ...originOf(state, pick) };
    case 'settings_changed':
      return { type, jitter, settings: otherSettings(state.settings, pick) };
    case 'connection_changed': {
      const hold = choose([null, null, null, 'not_approved', 'missing_variable'] as const, pick);
      return { type, jitter, settings: state.settings, hold, catalogueSize: choose([null, 3], pick) };
    }
    case 'asked':
      return { type, jitter, what: choose(['retry', 'restart'], pick), by: 'ada' };
    case 'removed':
      return { type, jitter };
    case 'tick':
      return { type, jitter, lateMs: pick % 20 === 0 ? 31_000 : 0 };
  }
};

const otherSettings = (settings: MachineSettings, pick: number): MachineSettings => ({
  ...settings,
  capability: choose([settings.capability, null, CAPABILITY], pick),
  cooldownMs: choose([settings.cooldownMs, 60_000, 1_000], pick),
});
