// Waits for a promise, at most a given number of milliseconds.

/** Resolves to the promise's value, or to undefined after `ms` milliseconds. Rejects if the promise rejects. */
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
