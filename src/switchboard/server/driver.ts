// Runs the health machine of one server: gives it events one at a time, carries out in order the effects that it returns, and keeps its one
// timer. Only the machine decides.

import type { HealthEffect, HealthEvent } from '../health/event.js';
import { begin, stepHealth } from '../health/machine.js';
import type { Beginning } from '../health/moves.js';
import type { HealthState } from '../health/state.js';
import type { BackendDeps, Timer } from './world.js';

type EffectOf<D extends HealthEffect['do']> = Extract<HealthEffect, { readonly do: D }>;

/** The functions that carry out the effects of the health machine, except for its timer. */
type HealthActions = {
  readonly [D in 'record' | 'close' | 'dial' | 'check']: (effect: EffectOf<D>) => void;
} & {
  /** Called when all events that the health machine got have been processed. */
  readonly settled: () => void;
};

export class Driver {
  readonly #deps: BackendDeps;
  readonly #actions: HealthActions;
  readonly #inbox: HealthEvent[] = [];
  state: HealthState | null = null;
  /** True while the effects of an event are being carried out. Nobody should decide by the state then: only some of the effects are done. */
  isBusy = false;
  #alarm: Timer | undefined;

  constructor(deps: BackendDeps, actions: HealthActions) {
    this.#deps = deps;
    this.#actions = actions;
  }

  start(beginning: Beginning): void {
    const { state, effects } = begin(beginning, this.#deps.nowMs());
    this.state = state;
    this.#work(effects);
  }

  /** Gives the health machine an event. Returns the effects of the event, or none if it must wait for earlier events. */
  give(event: HealthEvent): readonly HealthEffect[] {
    this.#inbox.push({ ...event, jitter: this.#deps.random() * 2 - 1 });
    if (this.isBusy) return [];
    const before = this.state;
    const effects = this.#next();
    // Most events, such as an answered call, change nothing.
    return effects.length === 0 && this.state === before ? effects : this.#work(effects);
  }

  /** Stops the health machine because the process ends. It gets no event, because the server's health has not changed. */
  stop(): void {
    this.state = null;
    this.#inbox.length = 0;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#actions.settled();
  }

  #next(): readonly HealthEffect[] {
    const event = this.#inbox.shift();
    if (event === undefined) return [];
    const { state, effects } = stepHealth(this.state, event, this.#deps.nowMs());
    this.state = state;
    return effects;
  }

  #work(first: readonly HealthEffect[]): readonly HealthEffect[] {
    this.isBusy = true;
    let effects = first;
    for (;;) {
      for (const effect of effects) this.#do(effect);
      if (this.#inbox.length === 0) break;
      effects = this.#next();
    }
    this.isBusy = false;
    this.#actions.settled();
    return first;
  }

  /** Carries out one effect. If it fails, the others must still be carried out, or a connection might stay open for ever. */
  #do(effect: HealthEffect): void {
    try {
      if (effect.do === 'wake') this.#wake(effect.at);
      // Nothing is done here for the effect `admit`: the caller of `give` finds it in the return value.
      else if (effect.do !== 'admit') (this.#actions[effect.do] as (effect: HealthEffect) => void)(effect);
    } catch (thrown) {
      this.#deps.warn(`${effect.do} failed: ${String(thrown)}`);
    }
  }

  #wake(at: number | null): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (at === null) return;
    const ms = Math.max(0, Math.ceil(at - this.#deps.nowMs()));
    const wallDue = this.#deps.wallMs() + ms;
    this.#alarm = this.#deps.setTimer(ms, () => {
      this.#alarm = undefined;
      // Some systems stop the monotonic clock while the computer sleeps, so the wall clock is read, too.
      const lateMs = Math.max(0, this.#deps.nowMs() - at, this.#deps.wallMs() - wallDue);
      this.give({ type: 'tick', lateMs });
    });
  }
}
