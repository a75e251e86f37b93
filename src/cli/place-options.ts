// The options `--project`, `--db` and `--json`. Apart from place.ts, which finds the store and loads far more.
import { type Command, Option } from 'commander';

export interface PlaceOptions {
  readonly project?: string;
  readonly db?: string;
}

/** Adds the options that name a store, and `--json`. */
export const withPlace = (command: Command): Command =>
  command
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .option('--db <file>', 'the SQLite file; otherwise found as `serve` finds it')
    .addOption(new Option('--json', 'print JSON on stdout'));
