// What `colibri view` reads from the store: the newest records or those before a place, what came after one, and the proof of what a page shows.
import { readSize } from '../../ledger/head.js';
import { coveringCheckpoint } from '../../ledger/prove.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { PageData } from '../../proof/page-data.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { collectPage, proofOfShown } from '../page/collect.js';
import type { ShownLog } from '../page/shown.js';
import { processesAlive, unprovedIn } from '../page/unproved.js';
import { recordsBefore } from '../records/log-repository.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import type { ViewPosition } from './position.js';
import type { ViewSource } from './source.js';

const SCOPE = { task: null, session: null, since: null };

const collected = (
  source: ViewSource,
  pick: (tx: ReadTx) => Promise<readonly ShownLog[]>,
  openTasks: boolean,
): Promise<PageData> =>
  withProcesses(source, async (tx, alive) => {
    const made_at = new Date().toISOString();
    const unproved = await unprovedIn(tx, alive, made_at);
    const frame = { made_at, project: source.project, scope: SCOPE, payloads: 'shown', unproved, openTasks } as const;
    return collectPage(tx, await pick(tx), frame);
  });

const withProcesses = <T>(
  { read }: ViewSource,
  work: (tx: ReadTx, alive: readonly JsonObject[]) => Promise<T>,
): Promise<T> =>
  read(async (store) => {
    const alive = await processesAlive(store);
    return store.read((tx) => work(tx, alive));
  });

const shownPart = (info: LogInfo, from: number, to: number): ShownLog => ({
  info,
  stretches: from < to ? [{ log: info.log_id, base: info.base, from, to }] : [],
});

/** The page of records that ends, in each log, where `endOf` says. */
const pageEnding = (
  source: ViewSource,
  endOf: (tx: ReadTx, info: LogInfo) => number | Promise<number>,
): Promise<PageData> =>
  collected(
    source,
    async (tx) => {
      const logs = await allLogs(tx);
      const most = Math.ceil(CLI_LIMITS.viewRecords / Math.max(1, logs.length));
      const shown: ShownLog[] = [];
      for (const info of logs) {
        const end = Math.min(info.size, await endOf(tx, info));
        shown.push(shownPart(info, Math.max(0, end - most), end));
      }
      return shown;
    },
    true,
  );

/** The page of records that ends at a position; of the logs that it does not name, at their end. */
export const pageBefore = (source: ViewSource, before: ViewPosition): Promise<PageData> =>
  pageEnding(source, (_tx, { log_id, size }) => before.get(log_id) ?? size);

/** The page of the last records from before a moment. */
export const pageUntil = (source: ViewSource, moment: string): Promise<PageData> =>
  pageEnding(source, (tx, info) => recordsBefore(tx, info, moment));

/** Where the logs end now, and how many records of each are signed. */
export const logsNow = ({ read }: ViewSource) =>
  read((store) =>
    store.read(async (tx) => {
      const ends = new Map<string, number>();
      const signed = new Map<string, number>();
      for (const { log_id: log, size } of await allLogs(tx)) {
        ends.set(log, size);
        signed.set(log, (await coveringCheckpoint(tx, { log, seq: -1 }))?.size ?? 0);
      }
      return { ends, signed };
    }),
  );

/** The records after a position, at most one batch, and the position after them. */
export const recordsAfter = async (
  source: ViewSource,
  from: ViewPosition,
): Promise<{ data: PageData; next: ViewPosition }> => {
  const next = new Map(from);
  const data = await collected(
    source,
    async (tx) => {
      let left: number = CLI_LIMITS.viewBatch;
      const shown: ShownLog[] = [];
      for (const info of await allLogs(tx)) {
        const start = Math.min(info.size, from.get(info.log_id) ?? 0);
        const end = Math.min(info.size, start + left);
        next.set(info.log_id, Math.max(end, from.get(info.log_id) ?? 0));
        left -= end - start;
        if (start < end) shown.push(shownPart(info, start, end));
      }
      return shown;
    },
    false,
  );
  return { data, next };
};

/** The proof of the records `from … to - 1` of a log; undefined if the log does not have them. */
export const proofBetween = ({ read }: ViewSource, log: string, from: number, to: number) =>
  read((store) =>
    store.read(async (tx) => {
      const info = (await allLogs(tx)).find(({ log_id }) => log_id === log);
      if (info === undefined || from < 0 || from >= to || to > info.size) return undefined;
      return { ...(await proofOfShown(tx, shownPart(info, from, to))), size: await readSize(tx, log) };
    }),
  );
