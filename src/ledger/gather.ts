// Many small writes as one: records of calls that are in flight together share one append. A call that is alone never
// waits for company.
import { isStoreFault } from '../errors.js';

export interface GatherOptions {
  /** Items in one batch. */
  readonly most: number;
  /** Whether nobody else can be expected: then waiting for the end of the turn would be waiting for nothing. */
  readonly isAlone: () => boolean;
}

/**
 * Returns a function that hands items on in batches: one that is alone at once, others at the end of the turn, when all
 * of a chunk of requests are here. A batch that fails because of what is in it is handed on again one by one: an item
 * loses only itself.
 */
export const gather = <T, R>(
  handle: (items: readonly T[]) => Promise<readonly R[]>,
  { most, isAlone }: GatherOptions,
) => {
  interface Waiting {
    readonly item: T;
    resolve(result: R): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let scheduled = false;

  const alone = ({ item, resolve, reject }: Waiting): Promise<void> =>
    handle([item]).then(([result]) => resolve(result as R), reject);

  const send = async (): Promise<void> => {
    scheduled = false;
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length > 0) schedule();
    try {
      const results = await handle(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (error) {
      if (batch.length === 1 || isStoreFault(error)) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map(alone));
    }
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    const endOfTurn = setImmediate(send);
    // Asked a moment later: by then the call that this belongs to is counted itself.
    queueMicrotask(() => {
      if (!isAlone()) return;
      clearImmediate(endOfTurn);
      void send();
    });
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
};
