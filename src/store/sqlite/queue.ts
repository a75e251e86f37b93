// The queue of a connection, whose jobs run one after the other because a connection can have only one transaction at a time, and the retry
// loop for a database that another process has locked.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { STORE_LIMITS } from '../limits.js';
import { fromSqlite, isBusy } from './errors.js';
import type { Settings, SqliteLimits } from './options.js';

/**
 * Transactions run in microtasks, so a caller that writes again after each result would block the event loop for ever. This lets the event
 * loop run once such a stretch has lasted `STORE_LIMITS.storeTurnMs`.
 */
export const turnKeeper = (elapsedMs: () => number): (() => Promise<void>) => {
  let began: number | undefined;
  return async () => {
    if (began !== undefined && elapsedMs() - began >= STORE_LIMITS.storeTurnMs) await nextTurn();
    if (began !== undefined) return;
    began = elapsedMs();
    setImmediate(() => {
      began = undefined;
    });
  };
};

export class Queue<Job> {
  readonly #jobs: Job[] = [];
  readonly #serve: (job: Job) => Promise<void>;
  readonly #yieldTurn: () => Promise<void>;
  #draining: Promise<void> | undefined;

  /** `serve` settles the job itself and never rejects. */
  constructor(serve: (job: Job) => Promise<void>, yieldTurn: () => Promise<void>) {
    this.#serve = serve;
    this.#yieldTurn = yieldTurn;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.#draining ??= this.#drain();
  }

  /** Takes the next job out of the queue if `accept` agrees; for the job that runs now. Never skips one. */
  takeIf(accept: (job: Job) => boolean): Job | undefined {
    const next = this.#jobs[0];
    return next !== undefined && accept(next) ? this.#jobs.shift() : undefined;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    // A microtask later, so that calls made side by side are all queued when the first one runs.
    await this.#yieldTurn();
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      await this.#serve(job);
      await this.#yieldTurn();
    }
    this.#draining = undefined;
  }
}

// SQLite's own busy handler sleeps inside the call and blocks the event loop (730 ms with eight writers, measured), so every connection has
// timeout 0, and waiting for another process's lock happens here.

/**
 * Retries until the file is not busy, or until `busyMs` have passed since `sinceMs`; then throws STORE_BUSY. An attempt that throws must have
 * left no transaction open.
 */
export type BusyRetry = <T>(attempt: () => T, sinceMs?: number) => Promise<T>;

type RetrySettings = Pick<Settings, 'elapsedMs' | 'random'> & {
  readonly limits: Pick<SqliteLimits, 'busyMs' | 'busyPauseMs'>;
};

export const retryWhileBusy =
  ({ limits, elapsedMs, random }: RetrySettings): BusyRetry =>
  async (attempt, sinceMs = elapsedMs()) => {
    for (let tries = 0; ; tries++) {
      try {
        return attempt();
      } catch (thrown) {
        if (!isBusy(thrown) || elapsedMs() - sinceMs >= limits.busyMs) throw fromSqlite(thrown);
      }
      // Most locks are held for less than a turn of the event loop; the random pause keeps two processes from colliding again.
      await (tries === 0 ? nextTurn() : sleep(random() * limits.busyPauseMs));
    }
  };
