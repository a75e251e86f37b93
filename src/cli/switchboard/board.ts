// `colibri switchboard`: a table of the MCP servers behind each running Colibri process, redrawn on a terminal.
import { logsCommand } from '../../core/logs-command.js';
import { quietly } from '../../errors.js';
import { isNotYet, readingStore, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { liveScreen } from '../screen/live-screen.js';
import { oneLine, paint, plain, say, sayJson } from '../screen/print.js';
import { clock } from '../screen/time.js';
import { cut, screenWidth } from '../screen/width.js';
import { pause, untilStopped } from '../until-stopped.js';
import { orderServers } from './act.js';
import { BOARD_COLUMNS, below, boardText, cellsOf, notesOf, reasonOf } from './board-lines.js';
import { readKeys } from './keys.js';
import { knownServers } from './known-servers.js';
import { type SwitchboardProcess, switchboardProcesses } from './live.js';
import { lastLines, type ServerLine } from './server-lines.js';

export interface BoardOptions extends PlaceOptions {
  readonly json?: true;
  readonly once?: true;
}

/** What a person has chosen on the live board. */
interface Chosen {
  /** The server at the mark; undefined before an arrow was pressed. */
  server: string | undefined;
  /** Whether the end of its output is shown. */
  isOpen: boolean;
  /** What the last key did. */
  said: string;
}

/** What the keys do, and the same for a narrow screen. */
const HINT = 'Arrows choose a server, Enter shows more, r restarts it, q ends this screen.';
const SHORT_HINT = 'Arrows, Enter: more, r: restart, q ends';

/** The last line of the screen. */
export const footer = (said: string, width: number): string =>
  paint('dim', cut(said || (HINT.length <= width ? HINT : SHORT_HINT), width));

/** The chosen server; opened, everything that is known of it in each process, also what a narrow screen leaves out. */
const chosenLines = (
  { server, isOpen }: Chosen,
  live: readonly SwitchboardProcess[],
  written: readonly ServerLine[],
  now: number,
): string[] => {
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
        `process ${pid ?? '?'}: ${BOARD_COLUMNS.slice(1)
          .map(({ title }, at) => `${title} ${cells[at + 1]}`)
          .join(', ')}`,
      ),
      ...reasonOf(row),
      ...notesOf(row),
    ]),
    ...written.flatMap(({ at, by, text }) => {
      return below('dim', `${clock(at, now)} ${by === 'colibri' ? 'colibri: ' : ''}${text}`);
    }),
    ...below('dim', `its whole output: ${logsCommand(server)}`),
  ];
};

/** The name that is one up or down from the chosen one, among all servers. */
const moved = (names: readonly string[], from: string | undefined, by: 1 | -1): string | undefined => {
  const at = names.indexOf(from ?? '');
  return at === -1 ? names[by === 1 ? 0 : names.length - 1] : names[(at + by + names.length) % names.length];
};

/** The last lines that a server wrote to stderr; none if the files of this place do not have the server. */
const lastWords = (server: string | undefined, options: BoardOptions): readonly ServerLine[] => {
  const known = quietly(() => knownServers(options)) ?? [];
  const dir = known.find((one) => one.server.name === server)?.dir;
  return dir === undefined ? [] : lastLines(dir, CLI_LIMITS.boardServerLines);
};

const follow = async (at: StoreAt, options: BoardOptions): Promise<number> =>
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
        const now = Date.now();
        const written = chosen.isOpen ? lastWords(chosen.server, options) : [];
        const lines = boardText(live, now).split('\n');
        screen.draw(lines, [...chosenLines(chosen, live, written, now), ''], footer(chosen.said, screenWidth()));
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
  if (process.stdout.isTTY === true && !options.json && !options.once) return follow(at, options);
  const live = await readingStore(at, switchboardProcesses);
  if (options.json) sayJson({ processes: live });
  else say(boardText(live, Date.now()));
  return 0;
};
