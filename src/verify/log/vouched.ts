// Tells which logs were written with a key of this user. What a person accepts is recorded in a new log, and anybody who can write the
// store and the heads folder can begin one; only the key shows that Colibri did it here.
import type { UnsignedTail } from '../verdict/verdict.js';
import { isRotated, type LogWalk, successorsOf } from './log-walk.js';

/**
 * Returns a test for logs: whether the MAC of the log's head is right under its key, or the log was continued in order by a log of which
 * this is true. `copied` says for a log which logs it accepted as those of a copy.
 */
export const vouching = (
  walks: readonly LogWalk[],
  tails: readonly UnsignedTail[],
  copied: (by: string) => ReadonlySet<string>,
): ((log: unknown) => boolean) => {
  const authentic = new Set(tails.filter((tail) => tail.authentic === true).map(({ log }) => log));
  const isVouched = (log: string, asked: ReadonlySet<string>): boolean => {
    if (authentic.has(log)) return true;
    // Forged logs may continue each other in a circle.
    if (asked.has(log)) return false;
    const walk = walks.find(({ state }) => state.log === log);
    return successorsOf(walks, log).some(
      ({ state: next }) =>
        isVouched(next.log, new Set([...asked, log])) &&
        (copied(next.log).has(log) || (walk !== undefined && isRotated(walk))),
    );
  };
  return (log) => typeof log === 'string' && isVouched(log, new Set());
};
