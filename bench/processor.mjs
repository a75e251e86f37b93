// Processor time of another process, all its threads, in nanoseconds as Linux counts them. Other systems do not say.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Unavailable } from './rounds.mjs';

export const PROCESSOR_IS_KNOWN = existsSync('/proc/self/schedstat');

/** @param {number} pid @returns {Map<string, number>} by thread */
const threadsOf = (pid) => {
  const seen = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      seen.set(thread, Number.parseInt(text, 10));
    } catch {
      // It ended after it was listed.
    }
  }
  return seen;
};

/** A thread that ends before the second look is left out. @param {number} pid @returns {() => number} µs from now on */
export const processorWatch = (pid) => {
  if (!PROCESSOR_IS_KNOWN) return () => Number.NaN;
  const before = threadsOf(pid);
  return () => {
    let ns = 0;
    for (const [thread, spent] of threadsOf(pid)) ns += spent - (before.get(thread) ?? 0);
    return ns / 1_000;
  };
};

export const demandProcessorTime = () => {
  if (!PROCESSOR_IS_KNOWN) throw new Unavailable('this system has no /proc/<pid>/schedstat');
};
