// A walk through the machine that does what it asks for and checks after every event what must always hold.

import type { HealthEffect, HealthEvent, Transition } from '../../src/switchboard/health/event.js';
import { begin, stepHealth } from '../../src/switchboard/health/machine.js';
import { mayRoute } from '../../src/switchboard/health/permits.js';
import {
  type CheckSignal,
  type HealthState,
  isDialled,
  type MachineSettings,
  nextWake,
} from '../../src/switchboard/health/state.js';
import { eventOf, type Turn } from './health-histories.js';
import { isInTable } from './health-table.js';

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

/** What an adapter would keep while it does what the machine asks for. */
export class Walk {
  now = 0;
  state: HealthState | null;
  events = 0;
  /** Of connections that were dialled and not closed. */
  readonly open = new Set<number>();
  alarm: number | null = null;
  dialling: number | null = null;
  readonly asked = new Map<CheckSignal, number>();
  readonly transitions: Transition[] = [];
  /** The one request of a PROBATION that is out. */
  out: string | null = null;
  lastDial = 0;
  readonly seen = new Set<string>();
  #unrecorded = false;

  constructor(settings: MachineSettings) {
    const first = begin({ settings, hold: null, catalogueSize: null }, 0);
    this.state = first.state;
    this.follow(first.effects, null, 0, false);
  }

  give(event: HealthEvent): void {
    const before = this.state;
    if (before === null) return;
    const { state, effects } = stepHealth(before, event, this.now);
    this.events += 1;
    this.state = state;
    if (event.type === 'tick') this.alarm = null;
    this.endRequest(event, before);
    this.follow(effects, before, this.now, event.type === 'asked');
    this.check(before, event, effects);
  }

  private endRequest(event: HealthEvent, before: HealthState): void {
    const ended =
      'call' in event && event.type !== 'permit_taken' && event.dial === before.dial && event.call === this.out;
    const { state } = this;
    if (ended || state === null || state.state !== 'PROBATION' || state.dial !== before.dial) this.out = null;
  }

  private follow(effects: readonly HealthEffect[], before: HealthState | null, now: number, isAsked: boolean): void {
    for (const effect of effects) {
      if (effect.do === 'wake') this.alarm = effect.at;
      if (effect.do === 'record') this.transitions.push(effect);
      if (effect.do === 'check') this.asked.set(effect.signal, effect.check);
      if (effect.do === 'close') must(this.open.delete(effect.dial), `closed ${effect.dial}, which was not open`);
      if (effect.do === 'admit') {
        must(this.out === null, 'a second request was admitted in one PROBATION');
        must(before !== null && mayRoute(before, now).may, 'admitted where routing was refused');
        this.out = effect.call;
      }
      if (effect.do === 'dial') {
        must(effect.dial > this.lastDial, 'a dial number was used twice');
        if (before?.state === 'QUARANTINE' && this.state?.state === 'QUARANTINE')
          must(now >= before.until || isAsked, 'dialled before the cooldown was over, and nobody asked for it');
        this.lastDial = effect.dial;
        this.open.add(effect.dial);
        this.dialling = effect.dial;
        this.asked.clear();
      }
    }
  }

  private check(before: HealthState, event: HealthEvent, effects: readonly HealthEffect[]): void {
    const { state } = this;
    const to = state?.state ?? 'none';
    must(isInTable(before.state, event.type, to), `${before.state} –${event.type}→ ${to} is in no row`);
    if (before.state !== to) this.seen.add(`${before.state} ${event.type} ${to}`);
    if (before.state !== to) must(effects[0]?.do === 'record', 'a transition without a record');
    must(state !== null || this.open.size === 0, 'a connection outlives its server');
    if (state === null) return;
    must(this.alarm === nextWake(state), `alarm ${this.alarm}, wanted ${nextWake(state)}`);
    must(this.open.size === (isDialled(state) ? 1 : 0), 'open connections are not the current one');
    must(!isDialled(state) || this.open.has(state.dial), 'the current connection is not open');
    must(Number.isFinite(state.cooldownMs), 'cooldown is a number');
    must(
      state.losses.length < state.settings.failuresToQuarantine || before.settings !== state.settings,
      'losses pile up',
    );
    if (state.state === 'PROBATION' && this.out !== null)
      must(!effects.some((one) => one.do === 'check' && one.signal === 'capability'), 'a check beside the one request');
  }

  turn(turn: Turn): void {
    const pause = turn.pause === 'alarm' ? Math.max(0, (this.alarm ?? this.now) - this.now) : turn.pause;
    this.now += pause;
    if (this.state !== null) this.give(eventOf(turn, this.state, this.now));
  }

  /**
   * From now on everything works and nobody calls: milliseconds until HEALTHY, by doing what was asked for. With the store closed
   * capability checks are not run, and nothing is said of them.
   */
  recover(limitMs: number, store: 'open' | 'closed' = 'open'): number {
    const begun = this.now;
    this.#unrecorded = store === 'closed';
    if (this.out !== null) this.give({ type: 'call_cancelled', dial: this.state?.dial ?? 0, call: this.out });
    while (this.state !== null && this.state.state !== 'HEALTHY') {
      must(this.now - begun <= limitMs, `not HEALTHY after ${this.now - begun} ms, but ${this.state.state}`);
      this.serve(this.state);
    }
    return this.now - begun;
  }

  private serve(state: HealthState): void {
    if (this.#unrecorded) this.asked.delete('capability');
    const [asked] = this.asked;
    if (this.dialling !== null) {
      this.now += 50;
      const { dialling } = this;
      this.dialling = null;
      this.give({ type: 'dialled', dial: dialling, catalogueSize: 3 });
    } else if (asked !== undefined) {
      const [signal, check] = asked;
      this.asked.delete(signal);
      this.now += 5;
      this.give({ type: 'check_passed', dial: state.dial, signal, check });
    } else {
      must(this.alarm !== null, `no alarm in ${state.state}`);
      this.now = Math.max(this.now, this.alarm ?? 0);
      this.give({ type: 'tick', lateMs: 0 });
    }
  }
}

/** A walk along a whole history. */
export const walked = (settings: MachineSettings, history: readonly Turn[]): Walk => {
  const walk = new Walk(settings);
  for (const turn of history) walk.turn(turn);
  return walk;
};
