// Checks at the start whether Node may use enough memory. When the heap is full, Node kills the process without a message from Colibri,
// so the limit is checked first. Imports only the bounds, so that the check itself needs little memory.
import { getHeapStatistics } from 'node:v8';
import { CLI_LIMITS } from './limits.js';

const mib = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Throws if Node's heap limit is too low; lastWords prints the error's message. */
export const assertMemory = (heapBytes: number = getHeapStatistics().heap_size_limit): void => {
  if (heapBytes >= CLI_LIMITS.leastHeapBytes) return;
  const [given, needed] = [mib(heapBytes), mib(CLI_LIMITS.leastHeapBytes)];
  throw new Error(
    `Node may use only ${given} of memory for its heap, and Colibri needs ${needed}. Raise or remove the limit (--max-old-space-size, in NODE_OPTIONS or on the command line)`,
  );
};
