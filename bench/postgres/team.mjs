// Processes that serve calls at the same time: machines of a team, each with a state directory of its own, or processes of one machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { barrier } from '../barrier.mjs';
import { makeFolder, removeFolder } from '../belongings.mjs';
import { withServer } from '../servers.mjs';
import { callsFor } from '../traffic.mjs';
import { watchingLocks } from './lock-watch.mjs';
import { withDatabase } from './server.mjs';

const WIDTH = 16;
const SETTLE_MS = 500;

/**
 * Calls that are recorded and do nothing else, because their arguments are refused. A ping is not one of them: if its record takes long, it is
 * answered without.
 * @param {import('../client.mjs').Client} client
 */
const recordedOnly = (client) => ({
  ping: () => client.request('tools/call', { name: 'task_create', arguments: {} }),
});

/** What a server of ours is started with to have its store in that database. @param {string} url */
export const onDatabase = (url) => ({ env: { COLIBRI_DATABASE_URL: url } });

/** @typedef {{ answered: number, receipts: number }} Traffic */

/**
 * Each process answers calls, so many at a time, while all others do.
 * @param {readonly string[]} folders of the processes @param {{ env?: Record<string, string> }} extra @param {number} ms
 * @param {(use: () => Promise<void>) => Promise<void>} during runs what lasts as long as the measurement
 * @returns {Promise<Traffic>} of all of them
 */
const together = async (folders, extra, ms, during) => {
  await withServer('ours', folders[0] ?? '', extra, async () => {}); // makes the tables
  const [ready, done] = [barrier(folders.length + 1), barrier(folders.length)];
  /** @type {Promise<unknown>} */
  let before = Promise.resolve(); // starting all at once, on few cores, takes each of them longer than anybody waits
  const started = folders.map((folder) => {
    const begun = barrier(1);
    const turn = before;
    before = begun.opened;
    return { folder, turn, begun };
  });
  const members = started.map(async ({ folder, turn, begun }) => {
    await turn;
    return withServer('ours', folder, extra, async (client) => {
      begun.give();
      const calls = recordedOnly(client);
      await callsFor(calls, WIDTH, SETTLE_MS);
      await ready.arrive();
      const traffic = await callsFor(calls, WIDTH, ms);
      await done.arrive(); // nobody ends, with its last statements, while others are measured
      return traffic;
    }).finally(() => [begun.give(), ready.give(), done.give()]);
  });
  // Not before: processes that open the store wait for each other.
  const measured = ready.arrive().then(() => during(() => sleep(ms)));
  const settled = await Promise.allSettled([measured, ...members]);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const traffic = await Promise.all(members);
  return {
    answered: traffic.reduce((sum, { answered }) => sum + answered, 0),
    receipts: traffic.reduce((sum, { receipts }) => sum + receipts, 0),
  };
};

/** Hands `use` folders that are gone afterwards. @template T @param {number} count @param {(folders: string[]) => Promise<T>} use */
const inFolders = async (count, use) => {
  const folders = Array.from({ length: count }, () => makeFolder('bench-node'));
  try {
    return await use(folders);
  } finally {
    for (const folder of folders) removeFolder(folder);
  }
};

/** @typedef {Traffic & { watched: import('./lock-watch.mjs').Watched }} TeamTraffic */

/**
 * So many machines on one database, one process each; or, with `processes`, so many processes of each machine.
 * @param {{ nodes: number, processes?: number, ms: number }} what @returns {Promise<TeamTraffic>}
 */
export const team = ({ nodes, processes = 1, ms }) =>
  inFolders(nodes, (folders) =>
    withDatabase(async ({ name, url }) => {
      const places = Array.from({ length: processes }, () => folders).flat();
      /** @type {import('./lock-watch.mjs').Watched | undefined} */
      let watched;
      const traffic = await together(places, onDatabase(url), ms, async (use) => {
        watched = await watchingLocks(name, use);
      });
      if (watched === undefined) throw new Error('nobody looked');
      return { ...traffic, watched };
    }),
  );

/** One process on a file, with the same traffic. @param {number} ms */
export const oneOnFile = (ms) => inFolders(1, (folders) => together(folders, {}, ms, (use) => use()));
