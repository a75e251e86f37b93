// Provides a key for a log that may have to be created. The key is made at most once, and removed again if no log uses it.
import type { Store } from '../store/store.js';
import type { LogKey } from './keys.js';
import type { OpenLogOptions } from './open.js';

/** Whether a log uses this key. True if that cannot be determined: keeping an unused key is harmless, losing a used one is not. */
const isTaken = (store: Store, key: LogKey): Promise<boolean> =>
  store
    .read((tx) => tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId))
    .then((row) => row !== undefined)
    .catch(() => true);

/** Passes `use` a function that returns the same new key however often a transaction runs, and removes the key if no log uses it. */
export const withSpareKey = async <T>(
  { store, keys }: Pick<OpenLogOptions, 'store' | 'keys'>,
  use: (spare: () => LogKey) => Promise<T>,
) => {
  let made: LogKey | undefined;
  const spare = (): LogKey => {
    made ??= keys.create();
    return made;
  };
  try {
    return await use(spare);
  } finally {
    if (made !== undefined && !(await isTaken(store, made))) keys.discard(made);
  }
};
