// The command line: one file per command, put together here.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { serveCommand } from './serve.js';

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** Without a command: serve when a program talks to us, help when a person does. */
const withDefault = (argv: readonly string[], isTerminal: boolean): string[] =>
  argv.length <= 2 && !isTerminal ? [...argv, 'serve'] : [...argv];

export const runCommand = async (argv: readonly string[]): Promise<void> => {
  const program = new Command('colibri')
    .description(
      'One local process between an AI agent and the tools it reaches over MCP, with a ledger of every call.',
    )
    .version(version())
    .addCommand(serveCommand());
  await program.parseAsync(withDefault(argv, process.stdin.isTTY === true));
};
