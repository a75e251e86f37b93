// The queue of a connection, whose jobs run one after the other because a connection can have only one transaction at a time, and the retry
// loop for a database that another process has locked.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { STORE_LIMITS } from '../limits.js';
import { fromSqlite, isBusy } from './errors.js';
import type { Settings, SqliteLimits } from './options.js';

/** Keeps transactions from blocking the event loop: they run in microtasks or at once, so a caller that always writes again would block it for ever. */
export class TurnKeeper {
  readonly #elapsedMs: () => number;
  #began: number | undefined;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Whether transactions have run for less than `STORE_LIMITS.storeTurnMs` since the event loop ran last. */
  mayGoOn(): boolean {
    if (this.#began !== undefined) return this.#elapsedMs() - this.#began < STORE_LIMITS.storeTurnMs;
    this.#began = this.#elapsedMs();
    setImmediate(() => {
      this.#began = undefined;
    });
    return true;
  }

  /** Lets the event loop run if transactions have run for long enough. */
  async yieldTurn(): Promise<void> {
    if (!this.mayGoOn()) await nextTurn();
  }
}

export class Queue<Job> {
  readonly #jobs: Job[] = [];
  readonly #serve: (job: Job) => Promise<void>;
  readonly #turns: TurnKeeper;
  #draining: Promise<void> | undefined;
  #serving = false;

  /** `serve` runs a job and reports the result to the job's caller; its promise never rejects. */
  constructor(serve: (job: Job) => Promise<void>, turns: TurnKeeper) {
    this.#serve = serve;
    this.#turns = turns;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.#draining ??= this.#drain();
  }

  /** Takes the next waiting job out of the queue if `accept` returns true for it, so that the running job can share its transaction. Never skips a job. */
  takeIf(accept: (job: Job) => boolean): Job | undefined {
    const next = this.#jobs[0];
    return next !== undefined && accept(next) ? this.#jobs.shift() : undefined;
  }

  /** True if no job runs and none waits. */
  get isIdle(): boolean {
    return !this.#serving && this.#jobs.length === 0;
  }

  /** The promise resolves when no job runs and none waits. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    // Jobs begin to run one microtask later, so that jobs which were queued at the same time are all in the queue when the first one
    // runs.
    await this.#turns.yieldTurn();
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      this.#serving = true;
      await this.#serve(job);
      this.#serving = false;
      await this.#turns.yieldTurn();
    }
    this.#draining = undefined;
  }
}

// Waiting for a lock that another process holds happens here. SQLite's own busy handler sleeps inside the call and blocks the event loop
// (730 ms with eight writers, measured), so every connection has SQLite's timeout set to 0.

/**
 * Calls `attempt` until the database is not locked by another process, or until `busyMs` have passed since `sinceMs`; then throws
 * STORE_BUSY. An attempt that throws must have left no transaction open.
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
