// Commits the intents of calls that last, so that `colibri log`, `colibri status` and other processes see that these calls run. One timer serves all calls.
import { LEDGER_LIMITS } from '../limits.js';
import type { Pair } from './pair.js';

export interface EarlyIntentsOptions {
  readonly nowMs: () => number;
  /** Appends the intents by themselves. Rejects if the ledger cannot take them now. */
  readonly commit: (pairs: readonly Pair[]) => Promise<void>;
  /** Called for each pair whose intent is in the ledger now. */
  readonly release: (pair: Pair) => void;
}

export class EarlyIntents {
  readonly #options: EarlyIntentsOptions;
  /** The pairs whose intents are only in the journal, in the order of their age. */
  readonly #noted = new Set<Pair>();
  #timer: NodeJS.Timeout | undefined;
  /** After a failed commit: the time before which no further one is tried. */
  #notBeforeMs = 0;

  constructor(options: EarlyIntentsOptions) {
    this.#options = options;
  }

  watch(pair: Pair): void {
    this.#noted.add(pair);
    this.#timer ??= this.#arm();
  }

  /** To be called when the pair is in the ledger. */
  forget(pair: Pair): void {
    this.#noted.delete(pair);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#noted.clear();
  }

  /** Commits all intents that are only in the journal, however young they are, because the journal has no room for further ones. */
  commitAll(): void {
    this.#begin(Number.POSITIVE_INFINITY);
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), LEDGER_LIMITS.earlyIntentMs).unref();
  }

  #look(): void {
    this.#timer = undefined;
    // A timer of Node.js may fire up to a millisecond early.
    this.#begin(this.#options.nowMs() - LEDGER_LIMITS.earlyIntentMs + 1);
    if (this.#noted.size > 0) this.#timer = this.#arm();
  }

  /** Begins to commit the intents that are older than `before`. If that fails, they stay in the journal, and are tried again after a pause. */
  #begin(before: number): void {
    if (this.#options.nowMs() < this.#notBeforeMs) return;
    const due: Pair[] = [];
    for (const pair of this.#noted) {
      if (pair.sinceMs > before) break;
      if (!pair.isClaimed && pair.early === undefined) due.push(pair);
    }
    if (due.length === 0) return;
    const { commit, release } = this.#options;
    const ended = commit(due).then(
      () => {
        for (const pair of due) {
          if (pair.seq === undefined) continue; // it is appended with its outcome
          this.#noted.delete(pair);
          release(pair);
        }
      },
      () => {
        this.#notBeforeMs = this.#options.nowMs() + LEDGER_LIMITS.lateRetryMs;
      },
    );
    const early = ended.then(() => {
      for (const pair of due) pair.early = undefined;
    });
    for (const pair of due) pair.early = early;
  }
}
