// The options `--project`, `--db` and `--json`. They are not in place.ts because that file loads much more code.
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
