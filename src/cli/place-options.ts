// How a person names a store to a command. Finding it is the business of place.ts, which loads far more.
import { type Command, Option } from 'commander';

export interface PlaceOptions {
  readonly project?: string;
  readonly db?: string;
}

/** The options that every command has. */
export const withPlace = (command: Command): Command =>
  command
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .option('--db <file>', 'the SQLite file; otherwise found as `serve` finds it')
    .addOption(new Option('--json', 'print JSON on stdout'));
