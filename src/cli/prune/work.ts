// The work of `colibri prune`: measures the stored arguments (payloads) of old calls, removes them in batches, compacts the file.
import { isoClock } from '../../core/clock.js';
import { count } from '../../core/figures.js';
import { assertNotRolledBack } from '../../ledger/heads.js';
import { ownLogOf } from '../../ledger/own-log.js';
import { oldPayloads, type Pruned, prunePayloads } from '../../ledger/prune.js';
import { compactDatabase } from '../../store/sqlite/space.js';
import type { Store } from '../../store/store.js';
import { ownLog, readingStore, writingStore } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import type { StoreAt } from '../place.js';
import { processesOf } from '../processes.js';
import { allLogs } from '../records/record-repository.js';
import { oneLine, tell } from '../screen/print.js';
import type { ProgressLine } from '../screen/progress.js';
import { signRemoval } from '../signing.js';

type Page = Awaited<ReturnType<typeof oldPayloads>>;

/** Reads the old payloads of a log a page at a time, so that no read transaction lasts long. */
const eachPage = async (store: Store, log: string, before: string, use: (page: Page) => Promise<void>) => {
  for (let after: number | undefined = -1; after !== undefined; ) {
    const from: number = after;
    const page = await store.read((tx) => oldPayloads(tx, log, before, from));
    await use(page);
    after = page.last;
  }
};

export const measureOld = (at: StoreAt, before: string, progress: ProgressLine) =>
  readingStore(at, async (store) => {
    const logs = await store.read(allLogs);
    const total = logs.reduce((sum, { size }) => sum + size, 0);
    let [rows, bytes, passed] = [0, 0, 0];
    try {
      for (const { log_id, size } of logs) {
        await eachPage(store, log_id, before, async ({ runs, last = size }) => {
          for (const run of runs) [rows, bytes] = [rows + run.rows, bytes + run.bytes];
          progress.update(passed + last, total);
        });
        passed += size;
      }
    } finally {
      progress.end();
    }
    return { rows, bytes };
  });

export type Amount = Awaited<ReturnType<typeof measureOld>>;

/** Removes the old payloads of a log. No old payload is ever added, so a page that was read can be deleted in a later transaction. */
const pruneLog = (store: Store, at: StoreAt, of: string, before: string, tally: (pruned: Pruned) => void) =>
  eachPage(store, of, before, async ({ runs }) => {
    if (runs.length === 0) return;
    const pruned = await store.write(async (tx) => {
      const log = await ownLog(tx, at);
      await assertNotRolledBack(tx, at.heads, log);
      return prunePayloads(tx, { log: ownLogOf(at.keys, log), at: isoClock()(), before, of }, runs);
    });
    tally(pruned);
  });

const OPTIONS = {
  takesOut: true,
  wipe: 'pages',
  limits: { commitsPerCheckpoint: CLI_LIMITS.prunesPerCheckpoint },
} as const;

export const pruneOld = (at: StoreAt, before: string, expected: number, progress: ProgressLine): Promise<Pruned> => {
  const work = async (store: Store): Promise<Pruned> => {
    let [rows, records] = [0, 0];
    const tally = (pruned: Pruned): void => {
      [rows, records] = [rows + pruned.rows, records + pruned.records];
      progress.update(rows, expected);
    };
    try {
      for (const { log_id } of await store.read(allLogs)) await pruneLog(store, at, log_id, before, tally);
      if (rows > 0) await signRemoval(at, store, await store.read((tx) => ownLog(tx, at)));
      return { rows, records };
    } catch (thrown) {
      if (rows > 0) tell(`The arguments of ${count(rows, 'call')} were pruned before the command failed.`);
      throw thrown;
    } finally {
      progress.end();
    }
  };
  return writingStore(at, work, OPTIONS);
};

const NOT_SMALLER = 'The file of the store was not made smaller:';

/** Compacts the store's file. Returns why this was not possible; the pruning is done in any case. */
export const compact = async (at: StoreAt): Promise<string | undefined> => {
  const { alive } = await readingStore(at, (store) => processesOf(store, Number.MAX_SAFE_INTEGER));
  if (alive.length > 0) {
    const who = alive.map(({ pid }) => pid).join(', ');
    return `${NOT_SMALLER} a server is running (process ${who}), and the server could not write while the file is rewritten.`;
  }
  try {
    compactDatabase(at.path);
    return undefined;
  } catch (thrown) {
    return `${NOT_SMALLER} ${oneLine(thrown)}`;
  }
};
