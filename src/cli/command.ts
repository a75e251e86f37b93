// The command line: one file per command, put together here.
import { Command } from 'commander';
import { readVersion } from '../version.js';
import { serveCommand } from './serve.js';

/** Without a command: serve when a program talks to us, help when a person does. */
const withDefault = (argv: readonly string[], isTerminal: boolean): string[] =>
  argv.length <= 2 && !isTerminal ? [...argv, 'serve'] : [...argv];

export const runCommand = async (argv: readonly string[]): Promise<void> => {
  const program: Command = new Command('colibri')
    .description(
      'One local process between an AI agent and the tools it reaches over MCP, with a ledger of every call.',
    )
    .version(readVersion(), '-v, --version')
    .action(() => program.outputHelp())
    .addCommand(serveCommand());
  await program.parseAsync(withDefault(argv, process.stdin.isTTY === true));
};
