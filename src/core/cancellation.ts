// Says whether a call was cancelled. Most calls never are, and most handlers never ask, so the AbortSignal, which costs as much as hashing
// a dozen records, is created only when a handler asks for it.

export interface Cancellation {
  readonly aborted: boolean;
  /** The AbortSignal that tool handlers get. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` once when the call is cancelled; never if it was cancelled before. Colibri's own code uses this instead of `signal`.
   * Returns a function that unsubscribes.
   */
  listen(listener: () => void): () => void;
}

const nothing = (): void => {};

export class LazyCancellation implements Cancellation {
  #controller: AbortController | undefined;
  /** The first listener; most calls have no other. */
  #listener: (() => void) | undefined;
  #others: Set<() => void> | undefined;
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

  listen(listener: () => void): () => void {
    if (this.#aborted) return nothing;
    if (this.#listener === undefined) {
      this.#listener = listener;
      return () => {
        if (this.#listener === listener) this.#listener = undefined;
      };
    }
    this.#others ??= new Set();
    this.#others.add(listener);
    return () => this.#others?.delete(listener);
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort();
    this.#listener?.();
    for (const listener of this.#others ?? []) listener();
    this.#listener = undefined;
    this.#others = undefined;
  }
}

export const cancelledBy = (signal: AbortSignal): Cancellation => ({
  get aborted() {
    return signal.aborted;
  },
  signal,
  listen: (listener) => {
    signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  },
});
