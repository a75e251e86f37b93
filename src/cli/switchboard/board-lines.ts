// The lines in which `colibri switchboard` shows the servers of each running process.
import { logsCommand } from '../../core/logs-command.js';
import { type Colour, paint, plain } from '../screen/print.js';
import { type Column, tableLines } from '../screen/table.js';
import { ago, until } from '../screen/time.js';
import { fitted, screenWidth, wrapped } from '../screen/width.js';
import type { SwitchboardProcess } from './live.js';

const COLOURS: Readonly<Record<string, Colour>> = {
  HEALTHY: 'green',
  STARTING: 'yellow',
  PROBATION: 'yellow',
  QUARANTINE: 'red',
  UNHEALTHY: 'red',
};

const ms = (value: number | null): string => (value === null ? '–' : String(value));

export const BOARD_COLUMNS: readonly Column[] = [
  { title: 'server', least: 8 },
  { title: 'state', colour: (state) => COLOURS[state] ?? 'dim' },
  { title: 'for' },
  { title: 'next', right: true },
  ...['calls', 'failed', 'noise', 'p50 ms', 'p99 ms'].map((title) => ({ title, right: true as const })),
];

/** The columns for a screen that is too narrow for all of them. */
const NARROW: readonly string[] = ['server', 'state', 'for', 'calls', 'failed'];
const NARROW_COLUMNS = 70;

const isShown = (at: number): boolean =>
  screenWidth() >= NARROW_COLUMNS || NARROW.includes(BOARD_COLUMNS[at]?.title ?? '');

export const cellsOf = (row: SwitchboardProcess['servers'][number], now: number): string[] => [
  plain(row.server),
  row.state,
  ago(row.since, now),
  until(row.next_at, now),
  ...[row.calls, row.failures, row.noise].map(String),
  ms(row.p50_ms),
  ms(row.p99_ms),
];

/** Indented lines below a server in the table, wrapped instead of cut: a reason must stay readable. */
export const below = (colour: Colour, text: string): string[] =>
  [...wrapped(plain(text), screenWidth() - INDENT.length * 2)].map((line, at) =>
    paint(colour, `${at === 0 ? INDENT : INDENT + INDENT}${line}`),
  );

const INDENT = '  ';

/** The states in which a server does not work. */
const DOWN: readonly string[] = ['UNHEALTHY', 'QUARANTINE'];

export const reasonOf = ({ server, state, reason }: SwitchboardProcess['servers'][number]): string[] =>
  state === 'HEALTHY' || reason === null ? [] : below(COLOURS[state] ?? 'dim', `${server}: ${reason}`);

/** How to read why a server does not work. */
const logOf = ({ server, state }: SwitchboardProcess['servers'][number]): string[] =>
  DOWN.includes(state) ? below('dim', `${server}: its output: ${logsCommand(server)}`) : [];

export const notesOf = ({ server, notes }: SwitchboardProcess['servers'][number]): string[] =>
  notes === '' ? [] : notes.split('\n').flatMap((note) => below('dim', `${server}: ${note}`));

const linesOf = (
  { pid, instance, client, started_at, file, routes, servers }: SwitchboardProcess,
  now: number,
): string[] => [
  ...fitted(
    `process ${pid ?? '?'}${client === null ? '' : ` of ${plain(client)}`}, ${started_at === null ? instance : `up ${ago(started_at, now)}`}`,
    screenWidth(),
  ).map((line) => paint('bold', line)),
  ...below('dim', file.path === '' ? 'no switchboard file' : file.path),
  ...(file.state === 'ABSENT' && file.path !== '' ? below('red', 'there is no such file') : []),
  ...file.problems.flatMap((problem) => below('red', `${problem}; the servers stay as they were`)),
  ...routes.flatMap((note) => below('yellow', note)),
  ...tableLines(
    BOARD_COLUMNS.filter((_, at) => isShown(at)),
    servers.map((row) => cellsOf(row, now).filter((_, at) => isShown(at))),
    screenWidth() - INDENT.length,
  ).map((line) => `${INDENT}${line}`),
  ...servers.flatMap((row) => [...reasonOf(row), ...logOf(row)]),
  ...servers.flatMap(notesOf),
];

export const boardText = (live: readonly SwitchboardProcess[], now: number): string =>
  live.length === 0
    ? 'No process with a switchboard is running on this store.'
    : live.map((one) => linesOf(one, now).join('\n')).join('\n\n');
