// Waits for promises with a timeout, using one timer for all waits of the same length. A timer per call would cost more than the wait usually
// lasts.

interface Waiting {
  readonly until: number;
  giveUp(): void;
}

export class Patience {
  readonly #ms: number;
  readonly #nowMs: () => number;
  /** The waits, in the order in which they began. All timeouts are equally long, so the waits also run out in this order. */
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, nowMs: () => number) {
    this.#ms = ms;
    this.#nowMs = nowMs;
  }

  /** Resolves to the promise's value, or to undefined after the timeout. Rejects if the promise rejects. */
  wait<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { until: this.#nowMs() + this.#ms, giveUp: () => resolve(undefined) };
      this.#waiting.add(waiting);
      this.#timer ??= this.#arm(this.#ms);
      promise.then(
        (value) => {
          this.#waiting.delete(waiting);
          resolve(value);
        },
        (reason: unknown) => {
          this.#waiting.delete(waiting);
          reject(reason);
        },
      );
    });
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), ms);
  }

  /** Ends the waits that have run out, and sets the timer for the first of the others. */
  #check(): void {
    this.#timer = undefined;
    const now = this.#nowMs();
    for (const waiting of this.#waiting) {
      if (waiting.until > now) {
        this.#timer = this.#arm(Math.max(1, waiting.until - now));
        return;
      }
      this.#waiting.delete(waiting);
      waiting.giveUp();
    }
  }
}
