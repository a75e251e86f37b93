// Batches small writes: records of calls that run at the same time share one append.
import type { Soon } from '../../core/soon.js';
import { isStoreFault } from '../../errors.js';

export interface GatherOptions {
  /** The most items in one batch. */
  readonly most: number;
  /** Whether a batch is passed on now. Asked when its first item comes and at the end of each turn of the event loop. */
  readonly isDue: (items: number, turns: number) => boolean;
}

interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that passes items on in batches. If the first item of a batch is due at once, the batch is passed on in a microtask, after all
 * requests of a chunk of input were handled; otherwise at the end of a turn. If a batch fails because of its contents, its items are passed on one by
 * one, so that only the bad item fails.
 */
export const gather = <T, R>(
  handle: (items: readonly T[]) => Soon<readonly R[]>,
  { most, isDue }: GatherOptions,
): ((item: T) => Promise<R>) => {
  let waiting: Waiting<T, R>[] = [];
  let scheduled = false;

  const alone = async ({ item, resolve, reject }: Waiting<T, R>): Promise<void> => {
    try {
      const [result] = await handle([item]);
      resolve(result as R);
    } catch (error) {
      reject(error);
    }
  };

  const failed = (batch: readonly Waiting<T, R>[], error: unknown): void => {
    if (batch.length === 1 || isStoreFault(error)) for (const { reject } of batch) reject(error);
    else for (const one of batch) void alone(one);
  };

  const send = (): void => {
    scheduled = false;
    const batch = waiting.length <= most ? waiting : waiting.slice(0, most);
    waiting = waiting.length <= most ? [] : waiting.slice(most);
    if (waiting.length > 0) schedule();
    const done = (results: readonly R[]): void => {
      for (let i = 0; i < batch.length; i++) batch[i]?.resolve(results[i] as R);
    };
    try {
      const results = handle(batch.map(({ item }) => item));
      if (results instanceof Promise) results.then(done, (error: unknown) => failed(batch, error));
      else done(results);
    } catch (error) {
      failed(batch, error);
    }
  };

  const look = (turns: number): void => {
    if (waiting.length >= most || isDue(waiting.length, turns)) send();
    else setImmediate(look, turns + 1);
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    if (isDue(waiting.length, 0)) queueMicrotask(send);
    else setImmediate(look, 1);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
};
