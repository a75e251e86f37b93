#!/usr/bin/env node
// The `colibri` executable. It redirects the console to stderr before it loads anything else, because `serve` uses stdout only for the
// MCP protocol.
import { getHeapStatistics } from 'node:v8';
import { sendConsoleToStderr } from '../wire/console.js';
import { lastWords } from './last-words.js';
import { CLI_LIMITS } from './limits.js';
import { nameSourcesInStacks, reportUncaught } from './source-places.js';

const mib = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Throws if Node may use too little memory. When the heap is full, Node kills the process without a message from Colibri. */
const assertMemory = (): void => {
  const { heap_size_limit: given } = getHeapStatistics();
  if (given >= CLI_LIMITS.leastHeapBytes) return;
  throw new Error(
    `Node may use only ${mib(given)} of memory for its heap, and Colibri needs ${mib(CLI_LIMITS.leastHeapBytes)}. Raise or remove the limit (--max-old-space-size, in NODE_OPTIONS or on the command line)`,
  );
};

/** `serve` without options, which is what clients start, does without the code that reads command lines: that would delay the handshake. */
const run = async (argv: readonly string[]): Promise<void> => {
  if (argv.length === 3 && argv[2] === 'serve') return (await import('../server.js')).main();
  return (await import('./command.js')).runCommand(argv);
};

sendConsoleToStderr();
nameSourcesInStacks();
reportUncaught();
try {
  assertMemory();
  await run(process.argv);
} catch (thrown) {
  process.stderr.write(`${lastWords(thrown)}\n`);
  process.exit(1);
}
