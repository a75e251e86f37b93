#!/usr/bin/env node
// The `colibri` executable. It redirects the console to stderr before it loads anything else, because `serve` uses stdout only for the
// MCP protocol.
import { sendConsoleToStderr } from '../wire/console.js';
import { assertMemory } from './enough-memory.js';
import { lastWords } from './last-words.js';

sendConsoleToStderr();
try {
  assertMemory();
  const { runCommand } = await import('./command.js');
  await runCommand(process.argv);
} catch (thrown) {
  process.stderr.write(`${lastWords(thrown)}\n`);
  process.exit(1);
}
