// `colibri log`: lists the newest records that match the filters, and says how far back it searched.
import { figure } from '../../core/figures.js';
import { nearest } from '../../core/nearest.js';
import type { ReadTx } from '../../store/store.js';
import { isNotYet, readingStore, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import type { StoreAt } from '../place.js';
import { aliveInstances } from '../processes.js';
import { callView, serversOf } from '../records/call-view.js';
import { isCall, withAsked } from '../records/log-repository.js';
import { walkBack } from '../records/log-walk.js';
import { allLogs } from '../records/record-repository.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { tableLines } from '../screen/table.js';
import { clock } from '../screen/time.js';
import { screenWidth } from '../screen/width.js';
import { conditionsOf, type LogOptions, matcherOf } from './filter.js';
import { callStyle, placeNames, recordStyle } from './line.js';

/** The records that `colibri log` shows, and how far back the search went. */
export const lookAtLog = async (tx: ReadTx, options: LogOptions, alive: ReadonlySet<string>) => {
  const { since, until, limit, all, kind } = options;
  const progress = progressOn(process.stderr, 'looking');
  const logs = await allLogs(tx);
  const total = logs.reduce((sum, { size }) => sum + size, 0);
  try {
    const found = await walkBack(tx, {
      conditions: conditionsOf(options),
      matches: matcherOf(options, alive),
      since,
      until,
      limit,
      most: all ? Number.POSITIVE_INFINITY : CLI_LIMITS.lookRecords,
      onProgress: (looked) => progress.update(looked, total),
    });
    const placeName = placeNames(logs);
    const walk = kind.length > 0 ? found : { ...found, rows: await withAsked(tx, found.rows) };
    const meant = walk.rows.length > 0 ? [] : await meantNames(tx, options);
    return { walk, meant, style: kind.length > 0 ? recordStyle(placeName) : callStyle(alive, placeName) };
  } finally {
    progress.end();
  }
};

export type LogLook = Awaited<ReturnType<typeof lookAtLog>>;

/** Whether the user gave any filter option. */
const isAsked = ({ tool, outcome, client, server, kind, task, session, since, until }: LogOptions): boolean =>
  [tool, outcome, client, server, kind].some(({ length }) => length > 0) ||
  [task, session, since, until].some((value) => value !== undefined);

type Named = 'tool' | 'client' | 'server';

/** The names in the newest calls, looked at only where nothing matched. */
const namesIn = async (tx: ReadTx): Promise<Readonly<Record<Named, ReadonlySet<string>>>> => {
  const { rows } = await walkBack(tx, {
    conditions: [isCall],
    matches: async () => true,
    since: undefined,
    until: undefined,
    limit: CLI_LIMITS.lookLines,
    most: CLI_LIMITS.lookRecords,
  });
  const calls = rows.map((row) => callView(row, new Set()));
  return {
    tool: new Set(calls.map(({ tool }) => tool)),
    client: new Set(calls.flatMap(({ client }) => client?.name ?? [])),
    server: new Set(calls.flatMap(serversOf)),
  };
};

/** For each name that was asked for and that no call has: the nearest one that there is. */
const meantNames = async (tx: ReadTx, options: LogOptions): Promise<readonly string[]> => {
  const kinds = (['tool', 'client', 'server'] as const).filter((kind) => options[kind].length > 0);
  if (kinds.length === 0) return [];
  const names = await namesIn(tx);
  return kinds.flatMap((kind) =>
    options[kind].flatMap((asked) => {
      const meant = names[kind].has(asked) ? undefined : nearest(asked, [...names[kind]]);
      return meant === undefined ? [] : [`There is no call with --${kind} ${asked}; the nearest is ${meant}.`];
    }),
  );
};

/** Prints why there may be more matching records than are shown. */
const tellBounds = ({ walk, meant }: LogLook, options: LogOptions, now: number): void => {
  const { limit } = options;
  const { rows, looked, stoppedAt, more } = walk;
  if (stoppedAt !== undefined) {
    const back = stoppedAt === '' ? '' : `, back to ${clock(stoppedAt, now)}`;
    tell(`Searched the newest ${figure(looked)} records${back}; --all searches the rest.`);
  } else if (rows.length === 0)
    tell(isAsked(options) ? 'No record matches the filters.' : 'No calls are recorded yet.');
  else if (more && rows.length === limit) tell(`There may be more matching records: --limit ${limit * 10}.`);
  for (const line of meant) tell(plain(line));
};

export const list = async (at: StoreAt, options: LogOptions, now: number): Promise<number> => {
  const key = options.kind.length > 0 ? 'records' : 'calls';
  if (isNotYet(at, options)) return sayNotYet(at, { [key]: [] }, options.json);
  const look = await readingStore(at, async (store) => {
    const alive = await aliveInstances(store);
    return store.read((tx) => lookAtLog(tx, options, alive));
  });
  const { walk, style } = look;
  if (options.json) {
    const { rows, looked, stoppedAt, more } = walk;
    sayJson({ [key]: rows.map(style.json), looked_through: looked, stopped_at: stoppedAt ?? null, more });
    return 0;
  }
  const rows = walk.rows.map((row) => style.cells(row, now));
  if (rows.length > 0) for (const line of tableLines(style.columns, rows, screenWidth())) say(line);
  tellBounds(look, options, now);
  return 0;
};
