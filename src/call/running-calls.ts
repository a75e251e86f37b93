// Counts the calls that run now: those that have entered the first of the five stages and have no reply yet.

export class RunningCalls {
  readonly #moreWaits: () => boolean;
  #size = 0;
  #waiting: (() => void)[] = [];

  /** `moreWaits`: whether a further request has been received and is not handled yet. */
  constructor(moreWaits: () => boolean) {
    this.#moreWaits = moreWaits;
  }

  get size(): number {
    return this.#size;
  }

  /** True if at most one call runs and no further request has been received: then nothing can share its commit. */
  get isAlone(): boolean {
    return this.#size <= 1 && !this.#moreWaits();
  }

  begin(): void {
    this.#size += 1;
  }

  end(): void {
    this.#size -= 1;
    if (this.#size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when no call runs. */
  ended(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
