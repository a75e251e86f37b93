// `colibri log --follow`: prints the last lines, oldest first, then new records of all processes as they are written. Every
// poll reads in a short transaction of its own, so that running processes can still empty SQLite's write-ahead log.
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { ColibriError } from '../../errors.js';
import type { ReadTx, Store } from '../../store/store.js';
import { isNotYet, isThere, notYetText, readingStore } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import type { StoreAt } from '../place.js';
import { aliveInstances } from '../processes.js';
import { type LogRow, recordsBetween, withAsked } from '../records/log-repository.js';
import { allLogs } from '../records/record-repository.js';
import { outBeside, say, sayJsonLine } from '../screen/print.js';
import { type Cells, type Column, columnWidths, headLine, rowLine } from '../screen/table.js';
import { screenWidth } from '../screen/width.js';
import { pause, untilStopped } from '../until-stopped.js';
import { conditionsOf, type LogOptions, matcherOf } from './filter.js';
import { type LogLook, lookAtLog } from './list.js';

/** How many records of each log were read so far, by log id. */
type Sizes = ReadonlyMap<string, number>;

/** Merges the records of several logs by time; records of one log keep their order, even if the clock stepped back. */
const merged = (parts: readonly LogRow[][]): LogRow[] => {
  const rows: LogRow[] = [];
  for (;;) {
    const left = parts.filter((part) => part.length > 0);
    const next = left.reduce((a, b) => ((b[0]?.at ?? '') < (a[0]?.at ?? '') ? b : a), left[0] ?? []).shift();
    if (next === undefined) return rows;
    rows.push(next);
  }
};

/** The matching records since the last poll, from at most one page of records of each log, and how far each log was read. */
const fresh = async (tx: ReadTx, seen: Sizes, options: LogOptions, alive: ReadonlySet<string>) => {
  const [conditions, matches] = [conditionsOf(options), matcherOf(options, alive)];
  const parts: LogRow[][] = [];
  const sizes = new Map<string, number>();
  for (const { log_id, base, size } of await allLogs(tx)) {
    const from = seen.get(log_id) ?? 0;
    const to = Math.min(size, from + CLI_LIMITS.lookPage);
    sizes.set(log_id, to);
    if (to <= from) continue;
    const rows: LogRow[] = [];
    parts.push(rows);
    for (const row of await recordsBetween(tx, { from: base + from, to: base + to }, conditions)) {
      if (await matches(tx, row)) rows.push(row);
    }
  }
  return { rows: await withAsked(tx, merged(parts)), sizes };
};

/** Waits until stdout accepts data again, so that no records are read while the terminal's output is paused. */
const drained = async (signal: AbortSignal): Promise<void> => {
  if (!process.stdout.writableNeedDrain) return;
  await once(process.stdout, 'drain', { signal }).catch(() => {});
};

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Prints a line end after the `^C` that the terminal printed. */
const endLine = (signal: AbortSignal): void => {
  if (signal.aborted && process.stdout.isTTY === true) say();
};

/**
 * Throws if the store's file was replaced. Also runs after a failed read: the message of the read's own error gives advice for
 * `colibri serve`, not for `log --follow`.
 */
const refuseReplaced = (path: string, file: number | undefined): void => {
  if (inodeOf(path) === file) return;
  throw new ColibriError('STORE_UNAVAILABLE', `${path} was replaced by another file.`, {
    remedy: 'Start following again.',
  });
};

/** Sample cells that reserve the width of each column, so that columns do not move when later lines are longer. */
const ROOM: Readonly<Record<string, string>> = {
  time: '02:06:28',
  tool: 'x'.repeat(19),
  about: '',
  outcome: 'interrupted',
  took: '99.9 ms',
  client: 'claude-code',
  record: '1'.repeat(6),
  kind: 'call.enter',
};
/** The sample cells for a terminal, where the last column takes the rest of the line, and no outcome may lose its word. */
const ROOM_ON_SCREEN: typeof ROOM = {
  ...ROOM,
  tool: 'x'.repeat(22),
  about: 'T-0001 → GATHER',
  outcome: 'domain_error',
  what: 'x'.repeat(200),
};

/** The widths of the columns, computed for every line because the user may resize the window. In a pipe no line is cut. */
const followWidths = (columns: readonly Column[], first: readonly Cells[], own: Cells): readonly number[] => {
  const width = screenWidth();
  const isScreen = Number.isFinite(width);
  const room = columns.map(({ title }) => (isScreen ? ROOM_ON_SCREEN : ROOM)[title] ?? '');
  return columnWidths(columns, [room, ...first, ...(isScreen ? [] : [own])], width);
};

/** Prints the head of the table, and returns the function that prints lines below it. */
const printerOf = ({ style, walk }: LogLook, json: true | undefined): ((rows: readonly LogRow[]) => void) => {
  const first = walk.rows.map((row) => style.cells(row, Date.now()));
  const lineOf = (own: Cells): string => rowLine(style.columns, followWidths(style.columns, first, own), own);
  if (!json) say(headLine(style.columns, followWidths(style.columns, first, [])));
  return (rows) => {
    for (const row of rows) {
      if (json) sayJsonLine(style.json(row));
      else say(lineOf(style.cells(row, Date.now())));
    }
  };
};

const tail = async (at: StoreAt, store: Store, options: LogOptions): Promise<void> => {
  const file = inodeOf(at.path);
  const alive = await aliveInstances(store);
  const { first, sizes } = await store.read(async (tx) => ({
    first: await lookAtLog(tx, options, alive),
    sizes: new Map((await allLogs(tx)).map(({ log_id, size }) => [log_id, size])),
  }));
  const print = printerOf(first, options.json);
  print(first.walk.rows.toReversed());
  const { signal, end } = untilStopped();
  try {
    for (let seen: Sizes = sizes; !signal.aborted; ) {
      const found = await store
        .read((tx) => fresh(tx, seen, options, alive))
        .finally(() => refuseReplaced(at.path, file));
      seen = found.sizes;
      print(found.rows);
      await drained(signal);
      if (found.rows.length === 0) await pause(CLI_LIMITS.followMs, signal);
    }
    endLine(signal);
  } finally {
    end();
  }
};

/** Waits until the store exists. Returns false if the user stopped the command first. */
const untilThere = async (at: StoreAt): Promise<boolean> => {
  const { signal, end } = untilStopped();
  let looks = 0;
  const isReadable = (): Promise<boolean> =>
    readingStore(at, async () => true).catch((thrown: unknown) => {
      if (looks < CLI_LIMITS.followTries) return false;
      throw thrown;
    });
  try {
    while (!signal.aborted) {
      if (at.engine === 'postgres' || isThere(at.path)) {
        looks += 1;
        if (await isReadable()) return true;
      }
      await pause(CLI_LIMITS.followMs, signal);
    }
    endLine(signal);
    return false;
  } finally {
    end();
  }
};

export const followLog = async (at: StoreAt, options: LogOptions): Promise<number> => {
  if (isNotYet(at, options)) {
    const out = outBeside(options.json);
    out.say(notYetText(at));
    out.say('Waiting for a client to start Colibri; Ctrl-C ends the waiting.');
    if (!(await untilThere(at))) return 0;
  }
  await readingStore(at, (store) => tail(at, store, options));
  return 0;
};
