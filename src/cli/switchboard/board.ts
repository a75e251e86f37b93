// `colibri switchboard`: a table of the MCP servers behind each running Colibri process, redrawn on a terminal.
import { logsCommand } from '../../core/logs-command.js';
import type { ReadTx, Store } from '../../store/store.js';
import {
  allStates,
  FILE_ROW,
  type InstanceState,
  pidOf,
  ROUTES_ROW,
} from '../../switchboard/records/states-repository.js';
import { isNotYet, readingStore, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { liveScreen } from '../screen/live-screen.js';
import { type Colour, paint, plain, say, sayJson } from '../screen/print.js';
import { type Column, tableLines } from '../screen/table.js';
import { ago, until } from '../screen/time.js';
import { screenWidth, wrapped } from '../screen/width.js';
import { pause, untilStopped } from '../until-stopped.js';

export interface BoardOptions extends PlaceOptions {
  readonly json?: true;
  readonly once?: true;
}

interface Process {
  readonly instance: string;
  readonly pid: number | null;
  readonly started_at: string | null;
  readonly file: { readonly path: string; readonly state: string; readonly problems: readonly string[] };
  readonly routes: readonly string[];
  readonly servers: readonly Omit<InstanceState, 'instance' | 'place'>[];
}

const processOf = async (tx: ReadTx, instance: string, rows: readonly InstanceState[]): Promise<Process> => {
  const known = await pidOf(tx, instance);
  const file = rows.find(({ server }) => server === FILE_ROW);
  const [path = '', ...problems] = (file?.notes ?? '').split('\n');
  return {
    instance,
    pid: known?.pid ?? null,
    started_at: known?.started_at ?? null,
    file: { path, state: file?.state ?? 'UNKNOWN', problems },
    routes: rows.filter(({ server }) => server === ROUTES_ROW).flatMap(({ notes }) => notes.split('\n')),
    servers: rows
      .filter(({ server }) => server !== FILE_ROW && server !== ROUTES_ROW)
      .map(({ instance: _instance, place: _place, ...row }) => row),
  };
};

/** The Colibri processes that hold their lock; states that a dead process left in the store are ignored. */
const processes = async (store: Store): Promise<Process[]> => {
  const rows = await store.read(allStates);
  const live: Process[] = [];
  for (const instance of new Set(rows.map((row) => row.instance))) {
    if (!(await store.instances.isAlive(instance))) continue;
    const own = rows.filter((row) => row.instance === instance);
    live.push(await store.read((tx) => processOf(tx, instance, own)));
  }
  return live;
};

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

const cellsOf = (row: Process['servers'][number], now: number): string[] => [
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

const reasonOf = ({ server, state, reason }: Process['servers'][number]): string[] =>
  state === 'HEALTHY' || reason === null ? [] : below(COLOURS[state] ?? 'dim', `${server}: ${reason}`);

/** How to read why a server does not work. */
const logOf = ({ server, state }: Process['servers'][number]): string[] =>
  DOWN.includes(state) ? below('dim', `${server}: its output: ${logsCommand(server)}`) : [];

const notesOf = ({ server, notes }: Process['servers'][number]): string[] =>
  notes === '' ? [] : notes.split('\n').flatMap((note) => below('dim', `${server}: ${note}`));

const linesOf = ({ pid, instance, started_at, file, routes, servers }: Process, now: number): string[] => [
  paint('bold', `process ${pid ?? '?'}, ${started_at === null ? instance : `up ${ago(started_at, now)}`}`),
  ...below('dim', file.path === '' ? 'no switchboard file' : file.path),
  ...(file.state === 'ABSENT' && file.path !== '' ? below('red', 'there is no such file') : []),
  ...file.problems.flatMap((problem) => below('red', `${problem}; the servers stay as they were`)),
  ...routes.flatMap((note) => below('yellow', note)),
  ...tableLines(
    COLUMNS,
    servers.map((row) => cellsOf(row, now)),
    screenWidth() - INDENT.length,
  ).map((line) => `${INDENT}${line}`),
  ...servers.flatMap((row) => [...reasonOf(row), ...logOf(row)]),
  ...servers.flatMap(notesOf),
];

const textOf = (live: readonly Process[], now: number): string =>
  live.length === 0
    ? 'No process with a switchboard is running on this store.'
    : live.map((one) => linesOf(one, now).join('\n')).join('\n\n');

const follow = async (at: StoreAt): Promise<number> =>
  readingStore(at, async (store) => {
    const { signal, end } = untilStopped();
    const screen = liveScreen(process.stdout);
    try {
      while (!signal.aborted) {
        const lines = textOf(await processes(store), Date.now()).split('\n');
        screen.draw([...lines, ''], paint('dim', 'Ctrl-C ends this screen; with --once it is printed once.'));
        await pause(CLI_LIMITS.boardRefreshMs, signal);
      }
    } finally {
      screen.leave();
      end();
    }
    return 0;
  });

export const board = async (options: BoardOptions): Promise<number> => {
  const at = findStore(options);
  if (isNotYet(at, options)) return sayNotYet(at, { processes: [] }, options.json);
  if (process.stdout.isTTY === true && !options.json && !options.once) return follow(at);
  const live = await readingStore(at, processes);
  if (options.json) sayJson({ processes: live });
  else say(textOf(live, Date.now()));
  return 0;
};
