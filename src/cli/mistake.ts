// Reports mistakes in the command line (unknown command, bad option) in one line that ends with the help command to run.
import type { Command } from 'commander';
import { nearest } from '../core/nearest.js';
import { plain, say, sentence, tell } from './screen/print.js';

/** Prints the parser's message in one line: without its prefix, and with its suggestion, which the parser puts on a second line. */
const tellMistake = (text: string, command: string): void => {
  const words = text.replace(/^error: /, '').trim();
  tell(plain(`colibri: ${sentence(words.replaceAll('\n', ' '))} See ${command} --help`));
};

/** Prints help, which is laid out for 80 columns; on a narrower terminal its lines are broken at spaces. */
const sayHelp = (text: string): void => {
  for (const line of text.replace(/\n$/, '').split('\n')) say(line);
};

/** Sets the printing of help and the reporting of mistakes for a command and its subcommands. */
export const withMistakes = (command: Command, path = command.name()): Command => {
  command.configureOutput({ outputError: (text) => tellMistake(text, path), writeOut: sayHelp });
  for (const sub of command.commands) withMistakes(sub, `${path} ${sub.name()}`);
  return command;
};

export const noSuch = (name: string, names: readonly string[]): string => {
  const meant = nearest(name, names);
  return `there is no command '${name}'${meant === undefined ? '' : `; the nearest is '${meant}'`}`;
};
