// Runs of init and uninstall, one at a time for a user.
import { ColibriError } from '../../errors.js';
import { holdLock } from '../../store/sqlite/lock.js';
import { CLI_LIMITS } from '../limits.js';
import { wrong } from '../target.js';
import type { Journal } from './journal.js';

export const alone = async <T>(journal: Journal, act: () => Promise<T>): Promise<T> => {
  const release = await holdLock(journal.lockFile, CLI_LIMITS.initLockMs).catch((thrown: unknown) => {
    if (!(thrown instanceof ColibriError) || thrown.code !== 'STORE_BUSY') throw thrown;
    throw wrong('Another colibri init or uninstall is at work.', 'Nothing was changed; try again when it has ended.');
  });
  try {
    return await act();
  } finally {
    release();
  }
};
