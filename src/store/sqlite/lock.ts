// One at a time, between processes: an exclusive lock on a file of its own. The kernel drops it with the process, however that died; a
// process id in a file would lie (docs/adr/0024). The file stays: removing it would let two hold the same name.
import { monotonicMs } from '../../core/clock.js';
import { STORE_LIMITS } from '../limits.js';
import { patience } from './queue.js';
import { openDatabase } from './tx.js';

/** Waits up to `waitMs`, then STORE_BUSY. Returns how to let go. The folder must be there. */
export const holdLock = async (path: string, waitMs: number): Promise<() => void> => {
  const db = openDatabase(path);
  const retry = patience({
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
