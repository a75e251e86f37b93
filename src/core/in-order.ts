// Runs jobs side by side and takes their results in the order of the jobs.

/**
 * Starts a job for each item, at most `width` at once, and passes the results to `take` in the order of the items. Items are asked for one
 * by one, so that not all of them are in memory.
 */
export const inOrder = async <T, R>(
  items: Iterable<T>,
  width: number,
  start: (item: T) => Promise<R>,
  take: (result: R, item: T) => Promise<void> | void,
): Promise<void> => {
  const underWay: { readonly item: T; readonly result: Promise<R> }[] = [];
  const takeFirst = async (): Promise<void> => {
    const next = underWay.shift();
    if (next !== undefined) await take(await next.result, next.item);
  };
  for (const item of items) {
    const result = start(item);
    result.catch(() => {}); // the error is thrown when this result is awaited
    underWay.push({ item, result });
    if (underWay.length >= width) await takeFirst();
  }
  while (underWay.length > 0) await takeFirst();
};
