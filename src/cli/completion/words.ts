// What can be completed: the commands with their options and subcommands, as the parser of the command line has them.
import type { Command } from 'commander';

export interface CommandWords {
  readonly name: string;
  readonly about: string;
  readonly options: readonly { readonly flag: string; readonly about: string }[];
  readonly subs: readonly CommandWords[];
}

export const wordsOfCommand = (command: Command): CommandWords => ({
  name: command.name(),
  about: command.description(),
  options: [
    ...command.options.map(({ long, short, description }) => ({ flag: long ?? short ?? '', about: description })),
    { flag: '--help', about: 'show this' },
  ].filter(({ flag }) => flag !== ''),
  subs: command.commands.map((sub) => wordsOfCommand(sub)),
});
