// `colibri serve`: runs Colibri as an MCP server on stdin and stdout.
import { Command } from 'commander';
import { main } from '../server.js';

const AFTER = `
Settings are read from the environment (COLIBRI_MODE, COLIBRI_DB_PATH, …; see
docs/configuration.md).

Exit codes: 0 ended by the end of stdin, SIGINT or SIGTERM; 1 fatal; 75 the
transport did not start in time; 130 a SIGINT came more than two seconds after
the first signal, while calls were still running.`;

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serve MCP on stdin and stdout: what a client starts')
    .option(
      '--project <dir>',
      'the project folder; otherwise it is found from the environment or the working directory',
    )
    .addHelpText('after', AFTER)
    .action((options: { project?: string }) => main(options.project));
