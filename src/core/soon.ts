// Values that are there at once or only later. Awaiting a value that is there already takes a turn of the microtask queue and several objects, and
// a call would pay that in each of its stages.

export type Soon<T> = T | Promise<T>;

/** Calls `next` with the value: at once if the value is there, otherwise when its promise resolves. */
export const onceThere = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
