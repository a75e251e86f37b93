// Finds calls by their ids. There is no index over call ids, because it would slow down every append; so the records of calls'
// starts (intents) are searched, newest first, until every id is found. An index leads from each intent to the call's outcome.
import { Worker } from 'node:worker_threads';
import { bundledFile } from '../../core/installed.js';
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { progressOn } from '../screen/progress.js';
import type { Part } from './call-search-worker.js';
import { textOf } from './call-view.js';
import {
  isIntentLike,
  isIntentOf,
  type LogRow,
  outcomeOf,
  recordById,
  recordsBetween,
  type Stretch,
} from './log-repository.js';
import { pagesBack } from './log-walk.js';
import { allLogs, type LogInfo } from './record-repository.js';

const callOf = ({ body }: Pick<LogRow, 'body'>): string => textOf(parseObject(body).call);

export interface Search {
  readonly stretches: readonly Stretch[];
  /** Ids of the calls that are not found yet. If the store has two calls with the same id, the newest is taken. */
  readonly missing: Set<string>;
  readonly onProgress?: (looked: number) => void;
}

/** Returns the intents of the missing calls; stops as soon as every call is found. Has no state, because two threads run it. */
export const intentsIn = async (tx: ReadTx, { stretches, missing, onProgress }: Search): Promise<LogRow[]> => {
  const condition = isIntentOf([...missing]);
  const rows: LogRow[] = [];
  for (const stretch of stretches) {
    for (const page of pagesBack(stretch)) {
      if (missing.size === 0) return rows;
      const found = await recordsBetween(tx, page, [condition]);
      rows.push(...found.reverse().filter((row) => missing.delete(callOf(row))));
      onProgress?.(page.to - page.from);
    }
  }
  return rows;
};

export interface FoundCall {
  readonly intent: LogRow;
  /** The record of the call's outcome; undefined while there is none. */
  readonly outcome: LogRow | undefined;
}

/** The store to search. A second thread uses the path to open a database of its own; a store on a server has none and is searched by one thread. */
export interface SearchPlace {
  readonly tx: ReadTx;
  readonly path: string | undefined;
}

const WORKER = bundledFile('cli/records/call-search-worker.js');

/** Searches some ranges of records in a second thread; undefined if the thread failed. */
const startThread = (part: Part) => {
  const worker = new Worker(WORKER, { workerData: part, execArgv: [] });
  const ids = new Promise<number[] | undefined>((resolve) => {
    worker.once('message', resolve);
    for (const event of ['error', 'exit']) worker.once(event, () => resolve(undefined));
  });
  return { ids, end: () => worker.terminate() };
};

/** Searches the old records in two halves: this thread searches the newer half, a second thread the older half. */
const searchOld = async ({ tx, path }: SearchPlace, old: readonly Stretch[], search: Search): Promise<LogRow[]> => {
  const { missing, onProgress } = search;
  const middle = ({ from, to }: Stretch): number => Math.floor((from + to) / 2);
  if (path === undefined) return intentsIn(tx, { missing, stretches: old, ...(onProgress && { onProgress }) });
  const older = old.map((stretch) => ({ from: stretch.from, to: middle(stretch) }));
  const thread = startThread({ path, stretches: older, missing: new Set(missing) });
  try {
    const newer = old.map((stretch) => ({ from: middle(stretch), to: stretch.to }));
    const rows = await intentsIn(tx, { missing, stretches: newer, onProgress: (looked) => onProgress?.(2 * looked) });
    if (missing.size === 0) return rows;
    const ids = await thread.ids;
    if (ids === undefined) return [...rows, ...(await intentsIn(tx, { missing, stretches: older }))];
    for (const id of ids) {
      const row = await recordById(tx, id);
      if (row !== undefined && missing.delete(callOf(row))) rows.push(row);
    }
    return rows;
  } finally {
    await thread.end();
  }
};

const recentOf = ({ base, size }: LogInfo): Stretch => ({
  from: base + Math.max(0, size - CLI_LIMITS.lookRecords),
  to: base + size,
});

const intentsOf = async (place: SearchPlace, calls: readonly string[]): Promise<LogRow[]> => {
  const logs = (await allLogs(place.tx)).reverse();
  const total = logs.reduce((sum, { size }) => sum + size, 0);
  const progress = progressOn(process.stderr, 'looking');
  let looked = 0;
  const onProgress = (more: number): void => {
    looked += more;
    progress.update(looked, total);
  };
  const search = { stretches: logs.map(recentOf), missing: new Set(calls), onProgress };
  try {
    const rows = await intentsIn(place.tx, search);
    const old = logs.map((log) => ({ from: log.base, to: recentOf(log).from })).filter(({ from, to }) => to > from);
    if (search.missing.size > 0 && old.length > 0) rows.push(...(await searchOld(place, old, search)));
    return rows;
  } finally {
    progress.end();
  }
};

/** Returns the calls that were found, by id. Every record is read at most once, however many ids are given. */
export const findCalls = async (place: SearchPlace, calls: readonly string[]) => {
  const found = new Map<string, FoundCall>();
  for (const intent of await intentsOf(place, calls)) {
    const outcome = await outcomeOf(place.tx, intent.log_id, intent.seq);
    found.set(callOf(intent), { intent, outcome });
  }
  return found;
};

export const findCall = async (place: SearchPlace, call: string): Promise<FoundCall | undefined> =>
  (await findCalls(place, [call])).get(call);

/** The beginning of a call's id: hex digits, and more than a number, which would name a record. */
const ID_PREFIX = /^(?=[0-9]*[a-f-])[0-9a-f]{4,8}(-[0-9a-f-]{0,26})?$/i;

export const isIdPrefix = (text: string): boolean => ID_PREFIX.test(text);

/** The ids of calls that begin so, newest first: at most so many that it is plain that more of the id is needed. */
export const callsBeginning = async ({ tx }: SearchPlace, prefix: string): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const { base, size } of (await allLogs(tx)).reverse()) {
    for (const page of pagesBack({ from: base, to: base + size })) {
      for (const row of await recordsBetween(tx, page, [isIntentLike(prefix)])) found.add(callOf(row));
      if (found.size >= CLI_LIMITS.namedCalls) break;
    }
  }
  return [...found].slice(0, CLI_LIMITS.namedCalls);
};
