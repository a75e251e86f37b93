// Waits for promises with a timeout, using one timer for all waits of the same length. A timer per call would cost more than the wait usually
// lasts.

interface Waiting {
  readonly until: number;
  over: boolean;
  giveUp(): void;
}

export class Patience {
  readonly #ms: number;
  readonly #nowMs: () => number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, nowMs: () => number) {
    this.#ms = ms;
    this.#nowMs = nowMs;
  }

  /** Resolves to the value, or to undefined after the timeout. Rejects if the promise rejects. */
  wait<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { until: this.#nowMs() + this.#ms, over: false, giveUp: () => resolve(undefined) };
      this.#waiting.push(waiting);
      this.#timer ??= this.#arm(this.#ms);
      const ending =
        <V>(settle: (value: V) => void) =>
        (value: V): void => {
          waiting.over = true;
          settle(value);
        };
      promise.then(ending(resolve), ending(reject));
    });
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), ms);
  }

  /** Ends the waits that have expired. All timeouts are equally long, so the first wait in the list is the first to expire. */
  #check(): void {
    const now = this.#nowMs();
    this.#waiting = this.#waiting.filter(({ over }) => !over);
    const late = this.#waiting.filter(({ until }) => until <= now);
    this.#waiting = this.#waiting.slice(late.length);
    for (const { giveUp } of late) giveUp();
    const [next] = this.#waiting;
    this.#timer = next === undefined ? undefined : this.#arm(Math.max(1, next.until - now));
  }
}
