// The options that several commands have. They are not in place.ts because that file loads much more code.
import { type Command, InvalidArgumentError, Option } from 'commander';

export interface PlaceOptions {
  readonly project?: string;
  readonly db?: string;
  readonly json?: true;
}

/** Adds the options that name a store, and `--json`. */
export const withPlace = (command: Command): Command =>
  command
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .option('--db <file>', 'the SQLite file; otherwise found as `serve` finds it')
    .addOption(new Option('--json', 'print JSON on stdout'));

/** Parses the number of an option such as `--limit`. */
export const numberUpTo =
  (most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`A number from 1 to ${most}.`);
  };
