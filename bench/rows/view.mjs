// What an open `colibri view` costs the calls that it shows: pings one after the other, with a reader of its events and without.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { mainIn } from '../builds.mjs';
import { alternating } from '../rounds.mjs';
import { databaseIn, hasReceipt, inFolder, withServer } from '../servers.mjs';
import { oneByOne, sizeOf, statsOf } from '../traffic.mjs';

/** @param {string} address @param {Record<string, string>} headers @returns {Promise<import('node:http').IncomingMessage>} */
const answerOf = async (address, headers = {}) => {
  const [answer] = await once(get(address, { headers }), 'response');
  return answer;
};

/** Follows the events as a page does. Returns what ends it. @param {string} folder */
const openView = async (folder) => {
  const env = {
    ...process.env,
    HOME: folder,
    TMPDIR: folder,
    XDG_STATE_HOME: `${folder}/state`,
    XDG_DATA_HOME: `${folder}/data`,
  };
  const args = [mainIn(), 'view', '--no-open', '--json', '--db', databaseIn(folder)];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { address, open } = JSON.parse(line);
  const [, opening = ''] = /url=([^"]+)"/.exec(readFileSync(open, 'utf8')) ?? [];
  const opened = await answerOf(opening);
  opened.resume();
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  const events = await answerOf(`${address}events`, { cookie });
  let bytes = 0;
  events.on('data', (/** @type {Buffer} */ chunk) => (bytes += chunk.length)).on('error', () => {});
  return async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
    return bytes;
  };
};

/** @param {boolean} isViewed @param {{ warmUp: number, calls: number }} size */
const pings =
  (isViewed, { warmUp, calls }) =>
  () =>
    inFolder((folder) =>
      withServer('ours', folder, {}, async (client) => {
        const ping = async () => hasReceipt(await client.ping());
        await oneByOne(ping, warmUp);
        const end = isViewed ? await openView(folder) : async () => 0;
        const { timesUs } = await oneByOne(ping, calls);
        const sent = await end();
        const stats = statsOf(timesUs);
        const notes = isViewed && sent === 0 ? ['the view sent nothing'] : [];
        return { value: stats.p50Us, details: { ...stats, sent }, notes };
      }),
    );

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const viewRow = (quick) => ({
  id: 'view',
  name: 'audited ping, p50, with `colibri view` open ÷ without',
  unit: 'µs',
  judged: 'ratio',
  better: '<=',
  isOneBuild: true,
  ...alternating(pings(true, sizeOf(quick)), pings(false, sizeOf(quick))),
});
