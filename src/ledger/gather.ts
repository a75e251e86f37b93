// Many small writes as one: records of calls that are in flight together share one append. A call that is alone never
// waits for company.
import { isStoreFault } from '../errors.js';

/**
 * Returns a function that hands items on in batches. The first item goes out at once; what comes while a batch is
 * under way, or in the same turn as other items, goes out together. A batch that fails because of what is in it is
 * handed on again one by one: an item loses only itself.
 */
export const gather = <T, R>(handle: (items: readonly T[]) => Promise<readonly R[]>, most: number) => {
  interface Waiting {
    readonly item: T;
    resolve(result: R): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;

  const alone = ({ item, resolve, reject }: Waiting): Promise<void> =>
    handle([item]).then(([result]) => resolve(result as R), reject);

  const send = async (): Promise<void> => {
    scheduled = false;
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length > 0) schedule();
    underWay += 1;
    try {
      const results = await handle(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (error) {
      if (batch.length === 1 || isStoreFault(error)) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map(alone));
    } finally {
      underWay -= 1;
    }
  };
  /** With others about, the end of the turn is worth waiting for: by then all of a chunk of requests are here. */
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(send);
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay === 0 && !scheduled && waiting.length === 1) {
        scheduled = true;
        queueMicrotask(send);
      } else schedule();
    });
};
