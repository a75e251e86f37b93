// Whether Node was given enough memory to begin with. When its heap is full Node ends the process in its own words, and no program can
// say anything then: so it is asked first. Loads nothing but the bounds.
import { getHeapStatistics } from 'node:v8';
import { CLI_LIMITS } from './limits.js';

const mib = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Throws a sentence for lastWords. */
export const assertMemory = (heapBytes: number = getHeapStatistics().heap_size_limit): void => {
  if (heapBytes >= CLI_LIMITS.leastHeapBytes) return;
  const [given, needed] = [mib(heapBytes), mib(CLI_LIMITS.leastHeapBytes)];
  throw new Error(
    `Node may use ${given} of memory for its heap, and Colibri needs ${needed}. Raise the limit (--max-old-space-size, in NODE_OPTIONS or the command line) or leave it out`,
  );
};
