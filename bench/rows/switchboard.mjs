// What the switchboard costs those who do not use it, and what a server that hangs costs everybody else. Both sides are
// Colibri, called in turns, so that the one thing they differ in is what is seen.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../rounds.mjs';
import { inFolder, withServer } from '../servers.mjs';
import { sizeOf, statsOf, takingTurns } from '../traffic.mjs';

/** @typedef {import('../client.mjs').Client} Client */
/** @typedef {Record<string, object>} Servers */

const LOOK_MS = 50;
const READY_MS = 60_000;
/** Kept in flight to the server that hangs: as many as it may have at a time. */
const HANGING_CALLS = 16;
/** Calls that hang are not waited for at the end. */
const SHUTDOWN_MS = '300';

/** @param {string} name @param {readonly string[]} args */
const official = (name, ...args) => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
    return { command: process.execPath, args: [join(dirname(manifest), 'dist', 'index.js'), ...args] };
  } catch {
    throw new Unavailable('run npm install');
  }
};

/** @param {string} name */
const fake = (name) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../test/servers/${name}.mjs`, import.meta.url))],
});

/** Waits until a tool of each of these servers is listed. @param {Client} client @param {readonly string[]} servers */
const untilListed = async (client, servers) => {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const { tools } = await client.request('tools/list');
    const names = tools.map((/** @type {{ name: string }} */ { name }) => name);
    if (servers.every((server) => names.some((/** @type {string} */ name) => name.startsWith(`${server}__`)))) return;
    if (performance.now() > deadline) throw new Error(`not all of ${servers.join(', ')} are listed`);
    await sleep(LOOK_MS);
  }
};

/**
 * Hands `use` a Colibri with these servers behind it, all of which answer but for those that never will.
 * @template T
 * @param {Servers} servers @param {readonly string[]} answering @param {(client: Client) => Promise<T>} use
 */
const withBoard = (servers, answering, use) =>
  inFolder((folder) => {
    const file = join(folder, 'switchboard.json');
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const isThere = Object.keys(servers).length > 0;
    const env = { COLIBRI_SHUTDOWN_TIMEOUT_MS: SHUTDOWN_MS, ...(isThere && { COLIBRI_SWITCHBOARD: file }) };
    return withServer('ours', folder, { env }, async (client) => {
      await untilListed(client, answering);
      return use(client);
    });
  });

/** @param {Client} client @param {string} name @param {object} args */
const callTool = async (client, name, args) => {
  const result = await client.request('tools/call', { name, arguments: args });
  if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return result;
};

/** Keeps calls to a server that never answers in flight until it is told to stop. @param {Client} client @param {string} name */
const keepHanging = (client, name) => {
  let isOver = false;
  let answered = 0;
  const caller = async () => {
    while (!isOver) {
      await client.request('tools/call', { name, arguments: {} }).catch(() => {});
      answered += isOver ? 0 : 1;
      await sleep(LOOK_MS);
    }
  };
  void Promise.all(Array.from({ length: HANGING_CALLS }, caller));
  return () => {
    isOver = true;
    // Else something else was measured.
    if (answered > 0) throw new Error(`${answered} calls to ${name} were answered`);
  };
};

/**
 * @param {readonly [Client, Client]} clients with, without @param {(client: Client) => Promise<unknown>} ask
 * @param {{ warmUp: number, calls: number }} size @param {number} round
 * @returns {Promise<import('../rounds.mjs').Pair>}
 */
const compare = async (clients, ask, { warmUp, calls }, round) => {
  const both = clients.map((client) => () => ask(client));
  await takingTurns(both, { calls: warmUp, first: round });
  const [first, second] = await takingTurns(both, { calls, first: round });
  const [ours, reference] = [statsOf(first?.timesUs ?? []), statsOf(second?.timesUs ?? [])];
  return { ours: ours.p50Us, reference: reference.p50Us, details: { ours, reference } };
};

const ECHO = 'everything__echo';
const echo = (/** @type {Client} */ client) => callTool(client, ECHO, { message: 'still there?' });
const list = (/** @type {Client} */ client) => client.request('tools/list');
const ping = (/** @type {Client} */ client) => client.ping();

/** @param {(client: Client) => Promise<unknown>} ask @param {{ warmUp: number, calls: number }} size */
const besideHanging = (ask, size) => (/** @type {number} */ round) => {
  const well = { everything: official('server-everything', 'stdio') };
  const sick = { ...well, never: fake('mute'), hangs: fake('hangs') };
  return withBoard(sick, ['everything', 'hangs'], (beside) =>
    withBoard(well, ['everything'], async (alone) => {
      const stop = keepHanging(beside, 'hangs__echo');
      const pair = await compare([beside, alone], ask, size, round);
      stop();
      return pair;
    }),
  );
};

/** @param {{ warmUp: number, calls: number }} size */
const besideIdle = (size) => (/** @type {number} */ round) => {
  const three = {
    everything: official('server-everything', 'stdio'),
    memory: official('server-memory'),
    files: official('server-filesystem', '.'),
  };
  return withBoard(three, Object.keys(three), (beside) =>
    withBoard({}, [], (alone) => compare([beside, alone], ping, size, round)),
  );
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const switchboardRows = (quick) => {
  const size = sizeOf(quick);
  const common = { unit: 'µs', judged: /** @type {const} */ ('ratio'), better: /** @type {const} */ ('<=') };
  return [
    {
      ...common,
      id: 'switchboard',
      name: 'ping, p50, with three idle servers ÷ without a switchboard',
      measure: besideIdle(size),
    },
    {
      ...common,
      id: 'hanging',
      name: 'call of a healthy server, p50, beside two that hang ÷ without them',
      measure: besideHanging(echo, size),
    },
    {
      ...common,
      id: 'hanging-list',
      name: 'tools/list after the first, p50, beside two that hang ÷ without them',
      measure: besideHanging(list, size),
    },
  ];
};
