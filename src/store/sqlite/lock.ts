// A lock between processes: an exclusive SQLite lock on a file of its own. The kernel drops the lock when the process dies; a process id in
// a file can be wrong (docs/adr/0024). The lock file is never removed, because then two processes could hold a lock of the same name.
import { monotonicMs } from '../../core/clock.js';
import { STORE_LIMITS } from '../limits.js';
import { retryWhileBusy } from './queue.js';
import { openDatabase } from './tx.js';

/** Waits up to `waitMs` for the lock on the file at `path`, then throws STORE_BUSY. Returns a function that releases the lock. The folder must exist. */
export const holdLock = async (path: string, waitMs: number): Promise<() => void> => {
  const db = openDatabase(path);
  const retry = retryWhileBusy({
    limits: { busyMs: waitMs, busyPauseMs: STORE_LIMITS.initLockPauseMs },
    elapsedMs: monotonicMs,
    random: Math.random,
  });
  try {
    await retry(() => {
      db.pragma('journal_mode = MEMORY');
      db.exec('BEGIN EXCLUSIVE');
    });
  } catch (thrown) {
    db.close();
    throw thrown;
  }
  return () => db.close();
};
