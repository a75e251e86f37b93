// Drives the health machine of one server: gives it events one after the other, does what it asks for in order, keeps its
// one alarm. It decides nothing.

import type { HealthEffect, HealthEvent } from '../health/event.js';
import { begin, stepHealth } from '../health/machine.js';
import type { Beginning } from '../health/moves.js';
import type { HealthState } from '../health/state.js';
import type { BackendDeps, Timer } from './world.js';

type EffectOf<D extends HealthEffect['do']> = Extract<HealthEffect, { readonly do: D }>;

/** What the machine asks for, apart from its alarm. */
export type Deeds = {
  readonly [D in 'record' | 'close' | 'dial' | 'check']: (effect: EffectOf<D>) => void;
} & {
  /** All events that there were have been dealt with. */
  readonly settled: () => void;
};

export class Driver {
  readonly #deps: BackendDeps;
  readonly #deeds: Deeds;
  readonly #inbox: HealthEvent[] = [];
  #state: HealthState | null = null;
  #isBusy = false;
  #alarm: Timer | undefined;

  constructor(deps: BackendDeps, deeds: Deeds) {
    this.#deps = deps;
    this.#deeds = deeds;
  }

  get state(): HealthState | null {
    return this.#state;
  }

  /** While effects of an event are being done: what is decided meanwhile would be decided on half of them. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  start(beginning: Beginning): void {
    const { state, effects } = begin(beginning, this.#deps.nowMs());
    this.#state = state;
    this.#work(effects);
  }

  /** Ends in the effects of this event, or in none if it had to wait for its turn. */
  give(event: HealthEvent): readonly HealthEffect[] {
    this.#inbox.push({ ...event, jitter: this.#deps.random() * 2 - 1 });
    if (this.#isBusy) return [];
    return this.#work(this.#next());
  }

  /** Without a word to the machine: the process ends, the server is as it was. */
  stop(): void {
    this.#state = null;
    this.#inbox.length = 0;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#deeds.settled();
  }

  #next(): readonly HealthEffect[] {
    const event = this.#inbox.shift();
    if (event === undefined) return [];
    const { state, effects } = stepHealth(this.#state, event, this.#deps.nowMs());
    this.#state = state;
    return effects;
  }

  #work(first: readonly HealthEffect[]): readonly HealthEffect[] {
    this.#isBusy = true;
    let effects = first;
    for (;;) {
      for (const effect of effects) this.#do(effect);
      if (this.#inbox.length === 0) break;
      effects = this.#next();
    }
    this.#isBusy = false;
    this.#deeds.settled();
    return first;
  }

  /** One deed that fails must not keep the others from being done: a connection would stay open for ever. */
  #do(effect: HealthEffect): void {
    try {
      this.#perform(effect);
    } catch (thrown) {
      this.#deps.warn(`${effect.do} failed: ${String(thrown)}`);
    }
  }

  #perform(effect: HealthEffect): void {
    if (effect.do === 'wake') this.#wake(effect.at);
    // Whoever asked for the permit reads it from what `give` returns.
    else if (effect.do !== 'admit') (this.#deeds[effect.do] as (effect: HealthEffect) => void)(effect);
  }

  #wake(at: number | null): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (at === null) return;
    const ms = Math.max(0, Math.ceil(at - this.#deps.nowMs()));
    const wallDue = this.#deps.wallMs() + ms;
    this.#alarm = this.#deps.setTimer(ms, () => {
      this.#alarm = undefined;
      // Some systems stop the monotonic clock while they sleep, so the wall clock is asked too.
      const lateMs = Math.max(0, this.#deps.nowMs() - at, this.#deps.wallMs() - wallDue);
      this.give({ type: 'tick', lateMs });
    });
  }
}
