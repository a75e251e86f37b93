// Calls by their ids. No index leads from an id to its records, because it would cost every append: intents are gone
// through, the newest first, until all that were asked for are found. The index over outcomes leads on from there.
import { Worker } from 'node:worker_threads';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { progressOn } from '../screen/progress.js';
import { callOf, intentsIn, type Search } from './call-search.js';
import type { Part } from './call-search-worker.js';
import { allLogs, type LogPlace, type LogRow, outcomeOf, recordById, type Stretch } from './log-repository.js';

export interface FoundCall {
  readonly intent: LogRow;
  /** Undefined until it has ended. */
  readonly outcome: LogRow | undefined;
}

/** Where it is looked for: a path beside the transaction, because a second thread has a connection of its own. */
export interface SearchPlace {
  readonly tx: ReadTx;
  readonly path: string;
}

/** From src/ (the tests) the thread runs the built file: Node 20 cannot load TypeScript in a worker. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/cli/records/call-search-worker.js' : './call-search-worker.js',
  import.meta.url,
);

/** A thread that goes through its part; undefined where it could not. */
const startThread = (
  part: Part,
): { readonly ids: Promise<number[] | undefined>; readonly end: () => Promise<unknown> } => {
  const worker = new Worker(WORKER, { workerData: part, execArgv: [] });
  const ids = new Promise<number[] | undefined>((resolve) => {
    worker.once('message', resolve);
    for (const event of ['error', 'exit']) worker.once(event, () => resolve(undefined));
  });
  return { ids, end: () => worker.terminate() };
};

/** This thread has the newer half, a second one the older: both are about as far at any time. */
const searchOld = async ({ tx, path }: SearchPlace, old: readonly Stretch[], search: Search): Promise<LogRow[]> => {
  const { missing, onProgress } = search;
  const middle = ({ from, to }: Stretch): number => Math.floor((from + to) / 2);
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

const recentOf = ({ base, size }: LogPlace): Stretch => ({
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

/** By id, those that there are. However many are asked for, the records are gone through once. */
export const findCalls = async (
  place: SearchPlace,
  calls: readonly string[],
): Promise<ReadonlyMap<string, FoundCall>> => {
  const found = new Map<string, FoundCall>();
  for (const intent of await intentsOf(place, calls)) {
    const outcome = await outcomeOf(place.tx, intent.log_id, intent.seq);
    found.set(callOf(intent), { intent, outcome });
  }
  return found;
};

export const findCall = async (place: SearchPlace, call: string): Promise<FoundCall | undefined> =>
  (await findCalls(place, [call])).get(call);
