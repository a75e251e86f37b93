// One timer for many deadlines, because most requests are answered long before theirs: to set and cancel a timer for each would cost more.
import { type AwakeTimer, awakeTimer } from '../../core/clock.js';

export class Alarm {
  readonly #nowMs: () => number;
  readonly #ring: (now: number) => void;
  #timer: AwakeTimer | undefined;
  #at = Number.POSITIVE_INFINITY;

  /** `ring` runs at the earliest deadline that was watched, and must watch those again that have not come yet. */
  constructor(nowMs: () => number, ring: (now: number) => void) {
    this.#nowMs = nowMs;
    this.#ring = ring;
  }

  watch(deadline: number): void {
    if (deadline >= this.#at) return;
    this.stop();
    this.#at = deadline;
    this.#timer = awakeTimer(Math.max(0, Math.ceil(deadline - this.#nowMs())), this.#onTime);
  }

  /** Forgets all deadlines. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }

  readonly #onTime = (): void => {
    this.stop();
    this.#ring(this.#nowMs());
  };
}
