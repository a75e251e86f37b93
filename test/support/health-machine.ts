// A machine with a clock that tests move by hand, and the ways into each state.

import type { HealthEffect, HealthEvent, Transition } from '../../src/switchboard/health/event.js';
import { begin, stepHealth } from '../../src/switchboard/health/machine.js';
import {
  type CheckSignal,
  type Health,
  type HealthState,
  type Hold,
  type MachineSettings,
  nextWake,
  type StateOf,
} from '../../src/switchboard/health/state.js';

export const SETTINGS: MachineSettings = {
  liveness: { intervalMs: 10_000, timeoutMs: 2_000 },
  readiness: { intervalMs: 30_000, timeoutMs: 5_000 },
  capability: null,
  failuresToQuarantine: 3,
  cooldownMs: 60_000,
  cooldownMaxMs: 900_000,
  startTimeoutMs: 30_000,
  stabilityWindowMs: 300_000,
};

export const CAPABILITY = { intervalMs: 300_000, timeoutMs: 30_000, afterFailures: 2 };
export const WITH_CAPABILITY: MachineSettings = { ...SETTINGS, capability: CAPABILITY };

type Part<T> = T extends { readonly dial: number } ? Omit<T, 'dial'> & { readonly dial?: number } : T;
/** An event whose dial is the current one unless said otherwise. */
export type Given = Part<HealthEvent>;

const WITHOUT_DIAL = new Set<HealthEvent['type']>([
  'connection_changed',
  'settings_changed',
  'removed',
  'asked',
  'tick',
]);

export class Machine {
  now = 0;
  state: HealthState | null;
  /** Of the last event. */
  effects: readonly HealthEffect[];
  readonly transitions: Transition[] = [];
  /** Dials that were asked for. */
  readonly dials: number[] = [];
  readonly closed: { readonly dial: number; readonly drain: boolean }[] = [];

  constructor(settings: MachineSettings = SETTINGS, more: { hold?: Hold; catalogueSize?: number } = {}) {
    const { hold = null, catalogueSize = null } = more;
    const first = begin({ settings, hold, catalogueSize }, 0);
    this.state = first.state;
    this.effects = first.effects;
    this.note();
  }

  give(given: Given): this {
    const event = (WITHOUT_DIAL.has(given.type) ? given : { dial: this.state?.dial, ...given }) as HealthEvent;
    const { state, effects } = stepHealth(this.state, event, this.now);
    this.state = state;
    this.effects = effects;
    this.note();
    return this;
  }

  private note(): void {
    for (const effect of this.effects) {
      if (effect.do === 'record') this.transitions.push(effect);
      if (effect.do === 'dial') this.dials.push(effect.dial);
      if (effect.do === 'close') this.closed.push(effect);
    }
  }

  later(ms: number): this {
    this.now += ms;
    return this;
  }

  tick(lateMs = 0): this {
    return this.give({ type: 'tick', lateMs });
  }

  /** To the moment the machine asked for, and ticks. */
  wake(): this {
    this.now = Math.max(this.now, (this.state && nextWake(this.state)) ?? this.now);
    return this.tick();
  }

  as<H extends Health>(name: H): StateOf<H> {
    if (this.state?.state !== name) throw new Error(`is ${this.state?.state}, not ${name}`);
    return this.state as StateOf<H>;
  }

  /** Number of the check that runs; waits for it to be asked for. */
  running(signal: CheckSignal): number {
    for (let turn = 0; turn < 200; turn++) {
      const state = this.state;
      const slot = state !== null && 'checking' in state ? state.checking[signal] : null;
      if (slot?.running != null) return slot.running;
      this.wake();
    }
    throw new Error(`no ${signal} check was asked for`);
  }

  pass(signal: CheckSignal): this {
    return this.give({ type: 'check_passed', signal, check: this.running(signal) });
  }

  fail(signal: CheckSignal, more: { how?: 'timeout' | 'wrong'; callInFlight?: boolean } = {}): this {
    const { how = 'timeout', callInFlight = false } = more;
    return this.give({ type: 'check_failed', signal, check: this.running(signal), how, callInFlight });
  }

  dialled(catalogueSize = 3): this {
    return this.give({ type: 'dialled', catalogueSize });
  }

  dialFailed(): this {
    return this.give({ type: 'dial_failed', fault: 'exited' });
  }

  silent(call = 'c'): this {
    return this.give({ type: 'call_failed', call, sentAt: this.now });
  }

  did(kind: HealthEffect['do']): boolean {
    return this.effects.some((effect) => effect.do === kind);
  }
}

export const starting = (settings?: MachineSettings): Machine => new Machine(settings);
export const healthy = (settings?: MachineSettings): Machine => starting(settings).later(100).dialled();
export const unhealthy = (settings?: MachineSettings): Machine => starting(settings).later(100).dialFailed();
export const quarantined = (settings?: MachineSettings): Machine => healthy(settings).silent().silent().silent();
export const onProbation = (settings?: MachineSettings): Machine => quarantined(settings).wake().later(100).dialled();

export const INTO: Readonly<Record<Health, (settings?: MachineSettings) => Machine>> = {
  STARTING: starting,
  HEALTHY: healthy,
  UNHEALTHY: unhealthy,
  QUARANTINE: quarantined,
  PROBATION: onProbation,
};
