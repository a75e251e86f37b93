// Where the command line itself is wrong: one line, as of every other failure, and where to look.
import type { Command } from 'commander';
import { nearest } from '../core/nearest.js';
import { plain, sentence, tell } from './screen/print.js';

/** The parser's own prefix; a suggestion stands in a line of its own. */
const wordsOf = (text: string): string =>
  text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ');

const tellMistake = (text: string, command: string): void =>
  tell(plain(`colibri: ${sentence(wordsOf(text))} See ${command} --help`));

/** Also of the commands below it. */
export const withMistakes = (command: Command, path = command.name()): Command => {
  command.configureOutput({ outputError: (text) => tellMistake(text, path) });
  for (const sub of command.commands) withMistakes(sub, `${path} ${sub.name()}`);
  return command;
};

export const noSuch = (name: string, names: readonly string[]): string => {
  const meant = nearest(name, names);
  return `there is no command '${name}'${meant === undefined ? '' : `; the nearest is '${meant}'`}`;
};
