// Whether a call was cancelled. Most calls never are, and most handlers never ask: the AbortSignal, which costs as much as
// hashing a dozen records, is made only for who wants it.

export interface Cancellation {
  readonly aborted: boolean;
  /** For who must be told: handlers, and whoever waits. */
  readonly signal: AbortSignal;
}

export class LazyCancellation implements Cancellation {
  #controller: AbortController | undefined;
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** A signal that somebody else made. */
export const cancelledBy = (signal: AbortSignal): Cancellation => ({
  get aborted() {
    return signal.aborted;
  },
  signal,
});
