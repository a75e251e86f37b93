// `colibri switchboard`: a table of the MCP servers behind each running Colibri process, redrawn on a terminal.
import { logsCommand } from '../../core/logs-command.js';
import { isNotYet, readingStore, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { liveScreen } from '../screen/live-screen.js';
import { type Colour, oneLine, paint, plain, say, sayJson } from '../screen/print.js';
import { type Column, tableLines } from '../screen/table.js';
import { ago, until } from '../screen/time.js';
import { cut, fitted, screenWidth, wrapped } from '../screen/width.js';
import { pause, untilStopped } from '../until-stopped.js';
import { orderServers } from './act.js';
import { readKeys } from './keys.js';
import { type SwitchboardProcess, switchboardProcesses } from './live.js';

export interface BoardOptions extends PlaceOptions {
  readonly json?: true;
  readonly once?: true;
}

const COLOURS: Readonly<Record<string, Colour>> = {
  HEALTHY: 'green',
  STARTING: 'yellow',
  PROBATION: 'yellow',
  QUARANTINE: 'red',
  UNHEALTHY: 'red',
};

const ms = (value: number | null): string => (value === null ? '–' : String(value));

const COLUMNS: readonly Column[] = [
  { title: 'server', least: 8 },
  { title: 'state', colour: (state) => COLOURS[state] ?? 'dim' },
  { title: 'for' },
  { title: 'next', right: true },
  ...['calls', 'failed', 'noise', 'p50 ms', 'p99 ms'].map((title) => ({ title, right: true as const })),
];

/** The columns for a screen that is too narrow for all of them. */
const NARROW: readonly string[] = ['server', 'state', 'for', 'calls', 'failed'];
const NARROW_COLUMNS = 70;

const isShown = (at: number): boolean => screenWidth() >= NARROW_COLUMNS || NARROW.includes(COLUMNS[at]?.title ?? '');

const cellsOf = (row: SwitchboardProcess['servers'][number], now: number): string[] => [
  plain(row.server),
  row.state,
  ago(row.since, now),
  until(row.next_at, now),
  ...[row.calls, row.failures, row.noise].map(String),
  ms(row.p50_ms),
  ms(row.p99_ms),
];

/** Indented lines below a server in the table, wrapped instead of cut: a reason must stay readable. */
const below = (colour: Colour, text: string): string[] =>
  [...wrapped(plain(text), screenWidth() - INDENT.length * 2)].map((line, at) =>
    paint(colour, `${at === 0 ? INDENT : INDENT + INDENT}${line}`),
  );

const INDENT = '  ';

/** The states in which a server does not work. */
const DOWN: readonly string[] = ['UNHEALTHY', 'QUARANTINE'];

const reasonOf = ({ server, state, reason }: SwitchboardProcess['servers'][number]): string[] =>
  state === 'HEALTHY' || reason === null ? [] : below(COLOURS[state] ?? 'dim', `${server}: ${reason}`);

/** How to read why a server does not work. */
const logOf = ({ server, state }: SwitchboardProcess['servers'][number]): string[] =>
  DOWN.includes(state) ? below('dim', `${server}: its output: ${logsCommand(server)}`) : [];

const notesOf = ({ server, notes }: SwitchboardProcess['servers'][number]): string[] =>
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
    COLUMNS.filter((_, at) => isShown(at)),
    servers.map((row) => cellsOf(row, now).filter((_, at) => isShown(at))),
    screenWidth() - INDENT.length,
  ).map((line) => `${INDENT}${line}`),
  ...servers.flatMap((row) => [...reasonOf(row), ...logOf(row)]),
  ...servers.flatMap(notesOf),
];

const textOf = (live: readonly SwitchboardProcess[], now: number): string =>
  live.length === 0
    ? 'No process with a switchboard is running on this store.'
    : live.map((one) => linesOf(one, now).join('\n')).join('\n\n');

/** What a person has chosen on the live board. */
interface Chosen {
  /** The server at the mark; undefined before an arrow was pressed. */
  server: string | undefined;
  /** Whether the end of its output is shown. */
  isOpen: boolean;
  /** What the last key did. */
  said: string;
}

const HINT = 'Arrows choose a server, Enter shows more, r restarts it, q ends this screen.';

/** The chosen server; opened, everything that is known of it in each process, also what a narrow screen leaves out. */
const chosenLines = ({ server, isOpen }: Chosen, live: readonly SwitchboardProcess[], now: number): string[] => {
  if (server === undefined) return [];
  const head = ['', paint('bold', `▸ ${plain(server)}`)];
  if (!isOpen) return head;
  const rows = live.flatMap(({ pid, servers }) =>
    servers.filter((row) => row.server === server).map((row) => ({ pid, row, cells: cellsOf(row, now) })),
  );
  return [
    ...head,
    ...rows.flatMap(({ pid, row, cells }) => [
      ...below(
        'dim',
        `process ${pid ?? '?'}: ${COLUMNS.slice(1)
          .map(({ title }, at) => `${title} ${cells[at + 1]}`)
          .join(', ')}`,
      ),
      ...reasonOf(row),
      ...notesOf(row),
    ]),
    ...below('dim', `its output: ${logsCommand(server)}`),
  ];
};

/** The name that is one up or down from the chosen one, among all servers. */
const moved = (names: readonly string[], from: string | undefined, by: 1 | -1): string | undefined => {
  const at = names.indexOf(from ?? '');
  return at === -1 ? names[by === 1 ? 0 : names.length - 1] : names[(at + by + names.length) % names.length];
};

const follow = async (at: StoreAt): Promise<number> =>
  readingStore(at, async (store) => {
    const { signal, end } = untilStopped();
    const screen = liveScreen(process.stdout);
    const chosen: Chosen = { server: undefined, isOpen: false, said: '' };
    let live: readonly SwitchboardProcess[] = [];
    let again = new AbortController();
    let isOver = false;
    const restart = async (server: string): Promise<void> => {
      chosen.said = await orderServers(at, 'restart', server, live).catch((thrown: unknown) => oneLine(thrown));
      again.abort();
    };
    const stopKeys = readKeys((key) => {
      const names = [...new Set(live.flatMap(({ servers }) => servers.map(({ server }) => server)))];
      chosen.said = '';
      if (key === 'quit') isOver = true;
      else if (key === 'up' || key === 'down') chosen.server = moved(names, chosen.server, key === 'up' ? -1 : 1);
      else if (key === 'enter') chosen.isOpen = !chosen.isOpen;
      else if (chosen.server !== undefined) void restart(chosen.server);
      again.abort();
    });
    try {
      while (!signal.aborted && !isOver) {
        again = new AbortController();
        live = await switchboardProcesses(store);
        const lines = [...textOf(live, Date.now()).split('\n'), ...chosenLines(chosen, live, Date.now()), ''];
        screen.draw(lines, paint('dim', cut(chosen.said || HINT, screenWidth())));
        await pause(CLI_LIMITS.boardRefreshMs, AbortSignal.any([signal, again.signal]));
      }
    } finally {
      stopKeys();
      screen.leave();
      end();
    }
    return 0;
  });

export const board = async (options: BoardOptions): Promise<number> => {
  const at = findStore(options);
  if (isNotYet(at, options)) return sayNotYet(at, { processes: [] }, options.json);
  if (process.stdout.isTTY === true && !options.json && !options.once) return follow(at);
  const live = await readingStore(at, switchboardProcesses);
  if (options.json) sayJson({ processes: live });
  else say(textOf(live, Date.now()));
  return 0;
};
