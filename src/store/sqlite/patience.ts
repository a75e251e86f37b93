// Waiting for a lock that another process holds. SQLite's own busy handler sleeps inside the call and freezes
// the event loop (730 ms with eight writers, measured), so every connection has timeout 0 and waits here.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fromSqlite, isBusy } from './errors.js';
import type { Settings, SqliteLimits } from './options.js';

/**
 * Tries until it is not busy, or until `busyMs` have passed since `sinceMs`; then STORE_BUSY.
 * The attempt must have left no transaction open when it throws.
 */
export type Retry = <T>(attempt: () => T, sinceMs?: number) => Promise<T>;

type Patient = Pick<Settings, 'elapsedMs' | 'random'> & {
  readonly limits: Pick<SqliteLimits, 'busyMs' | 'busyPauseMs'>;
};

export const patience =
  ({ limits, elapsedMs, random }: Patient): Retry =>
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
