// A promise, but no longer than. The one place where we stop waiting.

/** Resolves to the value, or to nothing when it takes longer than `ms`. Rejects as the promise does. */
export const within = async <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
