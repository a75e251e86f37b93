// Levels of log messages, from the least to the most severe. Pure.

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const isLevel = (value: unknown): value is string => typeof value === 'string' && LEVELS.includes(value);

/** Whether a message of this level is severe enough for a client that asked for `wanted`. */
export const isWanted = (level: unknown, wanted: string): boolean =>
  !isLevel(level) || LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);

/** The less severe of two levels, which lets more messages through. */
export const louder = (a: string | undefined, b: string): string =>
  a === undefined || LEVELS.indexOf(b) < LEVELS.indexOf(a) ? b : a;
