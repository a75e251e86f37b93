// Starts the kinds of server as separate processes, in the same environment: a fresh temporary folder that holds
// home, settings and database, and nothing of the caller's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, removeFolder } from './belongings.mjs';
import { mainIn } from './builds.mjs';
import { Client } from './client.mjs';
import { Unavailable } from './rounds.mjs';

export const BARE = [fileURLToPath(new URL('bare-server.mjs', import.meta.url))];
export const PIPE = [fileURLToPath(new URL('pipe.mjs', import.meta.url))];
export const PROXY = [fileURLToPath(new URL('bare-proxy.mjs', import.meta.url))];
const RECEIPT = 'dev.colibri/receipt';
const LEDGER_PATIENCE_MS = 10_000;

const MEMORY_SERVER = '@modelcontextprotocol/server-memory';

/** @typedef {'ours' | 'bare' | 'memory'} Kind */

/** The program of the official memory server, where it is installed. */
const memoryServer = () => {
  const { resolve } = createRequire(import.meta.url);
  try {
    const manifest = resolve(`${MEMORY_SERVER}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    return [join(dirname(manifest), bin['mcp-server-memory'])];
  } catch {
    throw new Unavailable('run npm install');
  }
};

const PROGRAMS = { ours: () => [mainIn(), 'serve'], bare: () => BARE, memory: memoryServer };

/** Our database in a folder that a server was started in. @param {string} folder */
export const databaseIn = (folder) => join(folder, 'colibri.db');

/** The memory server's file; it reads the whole file at every call. @param {string} folder */
export const memoryFileIn = (folder) => join(folder, 'memory.jsonl');

/** @param {any} result */
export const hasReceipt = (result) => result._meta?.[RECEIPT] !== undefined;

/** Runs `use` with a folder of its own, which is gone afterwards. @template T @param {(folder: string) => Promise<T>} use */
export const inFolder = async (use) => {
  const folder = makeFolder('bench');
  try {
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
};

/**
 * @param {Kind} kind
 * @param {string} folder
 * @param {{ env?: Record<string, string>, nodeArgs?: string[], program?: string[] }} [extra] `program`: another one than
 *   that kind's
 */
export const start = (kind, folder, { env = {}, nodeArgs = [], program = PROGRAMS[kind]() } = {}) =>
  new Client({
    args: [...nodeArgs, ...program],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      TMPDIR: folder,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      COLIBRI_DB_PATH: databaseIn(folder),
      MEMORY_FILE_PATH: memoryFileIn(folder),
      ...env,
    },
  });

/** The ledger opens after the handshake; until then our ping is answered unrecorded and must not be measured. */
const untilRecorded = async (/** @type {Client} */ client) => {
  const deadline = performance.now() + LEDGER_PATIENCE_MS;
  while (!hasReceipt(await client.ping())) {
    if (performance.now() > deadline) throw new Error('no receipt: the ledger did not open');
    await sleep(10);
  }
};

/** Settings with which no ledger opens: there is a folder where the database should be. @param {string} folder */
export const withoutStore = (folder) => ({ env: { COLIBRI_DB_PATH: folder }, recorded: false });

/**
 * Hands `use` a server that is initialized and, if it is ours and can, records.
 * @template T
 * @param {Kind} kind
 * @param {string} folder
 * @param {{ env?: Record<string, string>, nodeArgs?: string[], program?: string[], recorded?: boolean }} extra
 * @param {(client: Client) => Promise<T>} use
 */
export const withServer = async (kind, folder, extra, use) => {
  const client = start(kind, folder, extra);
  try {
    await client.initialize();
    if (kind === 'ours' && extra.recorded !== false) await untilRecorded(client);
    return await use(client);
  } finally {
    await client.close();
  }
};

/** A result without what differs from call to call: the receipt, the time, the order of members in the text. */
const comparable = (/** @type {any} */ { content, _meta, ...rest }) => {
  const texts = content.map((/** @type {any} */ { text, ...part }) => ({ ...part, value: JSON.parse(text) }));
  const timeless = (/** @type {string} */ key, /** @type {unknown} */ value) => (key === 'uptime_ms' ? 0 : value);
  return JSON.parse(JSON.stringify({ ...rest, texts }, timeless));
};

/** Throws where the reference returns something else than we do: then no ratio would mean anything. */
export const assertSameResult = () =>
  inFolder(async (folder) => {
    const answer = async (/** @type {Kind} */ kind) =>
      comparable(await withServer(kind, folder, {}, (client) => client.ping()));
    const [ours, bare] = [await answer('ours'), await answer('bare')];
    if (isDeepStrictEqual(ours, bare)) return;
    throw new Error(`the two servers answer differently: ${JSON.stringify(ours)} and ${JSON.stringify(bare)}`);
  });
