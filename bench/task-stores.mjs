// The two task stores that rows compare, made when the first row asks for one. A row works on a copy, so that no round
// finds what another left behind.
import { constants, cpSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './belongings.mjs';
import { makeTaskStore, taskStoreEnv } from './fill-tasks.mjs';
import { inFolder, withServer } from './servers.mjs';

/** @typedef {'small' | 'large'} Size */
/** @typedef {ReturnType<typeof taskStores>} TaskStores */

/** @param {Record<Size, number>} counts */
export const taskStores = (counts) => {
  /** @type {string | undefined} */
  let folder;
  /** @type {Map<Size, Promise<string>>} */
  const made = new Map();

  const make = async (/** @type {Size} */ size) => {
    folder ??= makeFolder('bench-tasks');
    const home = join(folder, size);
    console.error(`making a store of ${counts[size]} tasks`);
    await makeTaskStore(home, counts[size]);
    return home;
  };

  return {
    counts,
    /**
     * Hands `use` a server on a copy of the store.
     * @template T @param {Size} size @param {(client: import('./client.mjs').Client) => Promise<T>} use
     */
    withCopy: async (size, use) => {
      const original = made.get(size) ?? make(size);
      made.set(size, original);
      const from = await original;
      return inFolder((copy) => {
        // Without what names the original's path: a copy beside the original records nothing and is another project.
        const filter = (/** @type {string} */ file) => !/\/heads\/[0-9a-f]{32}\/store$|\/projects\.json$/.test(file);
        cpSync(from, copy, { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
        return withServer('ours', copy, { env: taskStoreEnv(copy) }, use);
      });
    },
  };
};
