// `colibri version`: what somebody who helps asks first.
import { Command } from 'commander';
import { readVersion } from '../start/version.js';
import { running } from './run.js';
import { say, sayJson } from './screen/print.js';

export const versionCommand = (): Command =>
  new Command('version')
    .description('the versions of Colibri and of Node, and the machine')
    .option('--json', 'print JSON on stdout')
    .addHelpText(
      'after',
      '\n  colibri version                the same as --version, and what it runs on\n\nExit codes: 0.',
    )
    .action(
      running(async ({ json }: { readonly json?: true }): Promise<number> => {
        const known = {
          colibri: readVersion(),
          node: process.version,
          platform: `${process.platform} ${process.arch}`,
        };
        if (json) sayJson(known);
        else say(`colibri ${known.colibri}, Node ${known.node}, ${known.platform}`);
        return 0;
      }),
    );
