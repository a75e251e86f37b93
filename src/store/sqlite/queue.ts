// A FIFO whose jobs run one after the other: one connection can do one transaction at a time.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { STORE_LIMITS } from '../limits.js';
import { fromSqlite, isBusy } from './errors.js';
import type { Settings, SqliteLimits } from './options.js';

/**
 * Transactions run in microtasks, and a caller that writes again as soon as it is answered would keep the
 * event loop from ever coming round. This waits for it once a stretch has lasted `STORE_LIMITS.storeTurnMs`.
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
  readonly #breathe: () => Promise<void>;
  #draining: Promise<void> | undefined;

  /** `serve` settles the job itself and never rejects. */
  constructor(serve: (job: Job) => Promise<void>, breathe: () => Promise<void>) {
    this.#serve = serve;
    this.#breathe = breathe;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.#draining ??= this.#drain();
  }

  /** The next job, taken by the one that runs now, if it is of the right kind. Never skips one. */
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
    await this.#breathe();
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      await this.#serve(job);
      await this.#breathe();
    }
    this.#draining = undefined;
  }
}

// Waiting for a lock that another process holds. SQLite's own busy handler sleeps inside the call and freezes
// the event loop (730 ms with eight writers, measured), so every connection has timeout 0 and waits here.

/**
 * Tries until it is not busy, or until `busyMs` have passed since `sinceMs`; then STORE_BUSY.
 * The attempt must have left no transaction open when it throws.
 */
export type BusyRetry = <T>(attempt: () => T, sinceMs?: number) => Promise<T>;

type Patient = Pick<Settings, 'elapsedMs' | 'random'> & {
  readonly limits: Pick<SqliteLimits, 'busyMs' | 'busyPauseMs'>;
};

export const patience =
  ({ limits, elapsedMs, random }: Patient): BusyRetry =>
  async (attempt, sinceMs = elapsedMs()) => {
    for (let tries = 0; ; tries++) {
      try {
        return attempt();
      } catch (thrown) {
        if (!isBusy(thrown) || elapsedMs() - sinceMs >= limits.busyMs) throw fromSqlite(thrown);
      }
      // Most locks are held for less than a turn; the random pause keeps two processes from meeting again.
      await (tries === 0 ? nextTurn() : sleep(random() * limits.busyPauseMs));
    }
  };
