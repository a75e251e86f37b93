// The command `colibri logs`: shows what a server behind the switchboard wrote to stderr, and how its starts ended.
import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { nearest } from '../../core/nearest.js';
import { quote } from '../../modes.js';
import { logFilePath } from '../../start/log-file.js';
import { SERVER_LOG } from '../../switchboard/config/server-log-place.js';
import { CLI_LIMITS } from '../limits.js';
import { numberUpTo, type PlaceOptions } from '../place-options.js';
import { running } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { paint, plain, say, sayJson, sayJsonLine, tell } from '../screen/print.js';
import { tableLines } from '../screen/table.js';
import { clock } from '../screen/time.js';
import { screenWidth } from '../screen/width.js';
import { knownServers, type ServerPlace } from '../switchboard/known-servers.js';
import { lastLines, logFilesIn, type ServerLine } from '../switchboard/server-lines.js';
import { wrong } from '../target.js';
import { followLines } from './follow.js';

const AFTER = `
What a server behind the switchboard wrote to stderr, and Colibri's own lines
about it: when it started, why it ended. Secrets are removed, and control
characters are shown as escapes. All Colibri processes of the user that start
the same server write to the same log.

  colibri logs                the servers, and where their logs are
  colibri logs search         the last lines of one server
  colibri logs search -f      then new ones as they come
  colibri logs search --json  {server, file, files,
                              lines: [{at, pid, by, text}]}

A log has at most five files of 1 MB. The log of a server that is reached over
HTTP has only Colibri's own lines.

Exit codes: 0, 1 there is no such server.`;

interface LogsOptions extends Pick<PlaceOptions, 'project' | 'json'> {
  readonly limit: number;
  readonly follow?: true;
}

const findServer = (name: string, known: readonly ServerPlace[]): ServerPlace => {
  const found = known.find(({ server }) => server.name === name);
  if (found !== undefined) return found;
  const names = known.map(({ server }) => server.name);
  if (names.length === 0)
    throw wrong(
      `There is no server ${quote(name)}: no switchboard file has a server.`,
      'To add one: colibri switchboard add',
    );
  const near = nearest(name, names);
  throw wrong(
    `There is no server ${quote(name)}.`,
    near === undefined ? `The servers are ${names.join(', ')}.` : `The nearest is ${quote(near)}.`,
  );
};

const printLine = ({ at, by, text }: ServerLine): void => {
  const shown = plain(text);
  say(`${paint('dim', clock(at, Date.now()))}  ${by === 'colibri' ? paint('yellow', `colibri: ${shown}`) : shown}`);
};

const COLUMNS = [
  { title: 'server', least: 8 },
  { title: 'size', right: true as const },
  { title: 'last line' },
  { title: 'folder', least: 20 },
];

/** `colibri logs` without a name: which servers have a log, and where. */
const listLogs = (known: readonly ServerPlace[], { json }: LogsOptions): number => {
  const rows = known.map(({ server, dir }) => {
    const sizes = logFilesIn(dir).map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    return { server: server.name, dir, bytes: sizes.reduce((sum, size) => sum + size, 0), last: lastLines(dir, 1)[0] };
  });
  if (json) sayJson({ servers: rows.map(({ last, ...row }) => ({ ...row, last_at: last?.at ?? null })) });
  else if (rows.length === 0) say('No switchboard file has a server, so there are no logs.');
  else {
    const now = Date.now();
    const cells = rows.map(({ server, dir, bytes, last }) => {
      return [plain(server), bytesText(bytes), last === undefined ? '–' : clock(last.at, now), dir];
    });
    for (const line of tableLines(COLUMNS, cells, screenWidth())) say(line);
  }
  return 0;
};

const notYet = ({ server, dir }: ServerPlace): string =>
  `${plain(server.name)} has no log yet: nothing was written since Colibri keeps one. It will be in ${dir}.`;

const logs = async (name: string | undefined, options: LogsOptions): Promise<number> => {
  const known = knownServers(options);
  if (name === undefined) return listLogs(known, options);
  const found = findServer(name, known);
  const { dir } = found;
  const first = (): readonly ServerLine[] => lastLines(dir, options.limit);
  const files = logFilesIn(dir);
  if (options.follow) {
    if (files.length === 0) tell(`${notYet(found)} Waiting for it; Ctrl-C ends the waiting.`);
    await followLines(dir, first, options.json ? sayJsonLine : printLine);
    return 0;
  }
  const file = logFilePath(dir, SERVER_LOG, 0);
  if (options.json) sayJson({ server: name, file, files, lines: first() });
  else if (files.length === 0) say(notYet(found));
  else first().forEach(printLine);
  return 0;
};

export const serverLogsCommand = (): Command =>
  new Command('logs')
    .description('what a server behind the switchboard wrote to stderr')
    .argument('[server]', 'the name of the server; without it, all servers are listed')
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .addOption(
      new Option('--limit <n>', 'how many lines')
        .default(CLI_LIMITS.serverLogUsualLines)
        .argParser(numberUpTo(CLI_LIMITS.lookLines)),
    )
    .option('-f, --follow', 'then show new lines as they come')
    .addOption(new Option('--json', 'print JSON on stdout'))
    .addHelpText('after', AFTER)
    .action(running(logs));
