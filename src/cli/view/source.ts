// The store that `colibri view` reads, for as long as it runs. A store that was restored, or deleted and begun anew, is another file at the same
// path, and a database server may have been gone for a while: the next read opens what is there then.
import { asError, ColibriError } from '../../errors.js';
import type { Store } from '../../store/store.js';
import { readingStore } from '../access.js';
import type { StoreAt } from '../place.js';

export interface ViewSource {
  readonly project: string | null;
  readonly read: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
}

interface OpenStore {
  readonly store: Store;
  readonly close: () => void;
}

const opening = (at: StoreAt): Promise<OpenStore> =>
  new Promise((resolve, reject) => {
    readingStore(at, (store) => new Promise<void>((close) => resolve({ store, close }))).catch((thrown: unknown) =>
      reject(asError(thrown)),
    );
  });

const isGone = (thrown: unknown): boolean => thrown instanceof ColibriError && thrown.code === 'STORE_UNAVAILABLE';

/** Opens the store at a place, once now, so that what is wrong with it is said at once. */
export const openSource = async (
  at: StoreAt,
  project: string | null,
): Promise<ViewSource & { readonly close: () => void }> => {
  let current: Promise<OpenStore> | undefined = opening(at);
  await current;
  const forget = (which: Promise<OpenStore>): void => {
    if (current === which) current = undefined;
    which.then(({ close }) => close()).catch(() => {});
  };
  return {
    project,
    read: async (work) => {
      current ??= opening(at);
      const mine = current;
      try {
        return await work((await mine).store);
      } catch (thrown) {
        if (isGone(thrown)) forget(mine);
        throw thrown;
      }
    },
    close: () => {
      if (current !== undefined) forget(current);
    },
  };
};
