// The servers of a default run: two official ones that must not notice anything, and one fake for every kind of sickness, each
// of which is well until a file says otherwise.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./disturb.mjs').Disturbance} Disturbance */
/** @typedef {import('./disturb.mjs').World} World */

const fakeFile = (/** @type {string} */ name) => fileURLToPath(new URL(`../test/servers/${name}.mjs`, import.meta.url));

/** @param {string} name */
const officialFile = (name) => {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist', 'index.js');
};

/** What a slow server takes for one call: longer than a call may be silent in a scaled run. */
const SLOW_MS = 4_000;

/**
 * One kind of sick server. `kill`: it misbehaves when it starts, so it is made to start. `expects`: what must be seen of it.
 * @typedef {object} Kind
 * @property {string} file
 * @property {string} done
 * @property {import('./disturb.mjs').Expectation} expects
 * @property {boolean} [kill]
 * @property {boolean} [stop] SIGSTOP instead of a file
 * @property {Record<string, string>} [env]
 * @property {object} [config] beside the defaults
 */

/** By their names; docs/chaos.md has the same table. @type {Readonly<Record<string, Kind>>} */
export const KINDS = {
  dead: { file: 'dead', done: 'killed, and exits at every start', expects: 'out', kill: true },
  hanging: { file: 'hangs', done: 'answers pings and no call', expects: 'out' },
  slow: {
    file: 'slow-calls',
    done: `takes ${SLOW_MS / 1_000} s for a call`,
    expects: 'seen',
    env: { SLOW_MS: String(SLOW_MS) },
  },
  crashing: { file: 'crashes', done: 'dies in the middle of every call', expects: 'out' },
  flapping: { file: 'flaps', done: 'exits 0.3 s after every start', expects: 'out' },
  garbage: { file: 'banners', done: 'prints on stdout what is no message', expects: 'nothing' },
  'stderr-flood': {
    file: 'floods-stderr',
    done: 'writes 1 MB to stderr for every call',
    expects: 'nothing',
    env: { FLOOD_MB: '1' },
  },
  'wrong-ids': {
    file: 'wrong-ids',
    done: 'answers calls under other ids',
    expects: 'out',
    // Such a server talks, so only a check that expects an answer tells that it is of no use.
    config: {
      health: { capability: { tool: 'echo', intervalMs: 20_000, timeoutMs: 20_000 } },
      tools: { readOnly: ['echo'] },
    },
  },
  huge: { file: 'huge', done: 'answers calls with 12 MB', expects: 'seen', env: { HUGE_MB: '12' } },
  'auth-expired': { file: 'http-login', done: 'takes the token no more (HTTP 401)', expects: 'out' },
  empty: { file: 'empties', done: 'killed, and starts without tools', expects: 'out', kill: true },
  'never-starts': {
    file: 'mute',
    done: 'killed, and does not answer initialize',
    expects: 'out',
    kill: true,
    config: { health: { startTimeoutMs: 3_000 } },
  },
  blocked: { file: 'plain', done: 'SIGSTOP to its process group', expects: 'out', stop: true },
};

/** Not part of a run unless it is named: a server that lies about its effects, on which a run must fail. */
export const LIARS = {
  'tells-twice': /** @type {Kind} */ ({
    file: 'tells-twice',
    done: 'nothing, but says that effects happened twice',
    expects: 'nothing',
  }),
};

const TOKEN = 'open-sesame';
const NEW_TOKEN = 'another-day';

/** @param {string} folder */
const officials = (folder) => ({
  everything: { command: process.execPath, args: [officialFile('server-everything'), 'stdio'] },
  memory: {
    command: process.execPath,
    args: [officialFile('server-memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  },
});

const OFFICIAL_TOOLS = {
  everything: { name: 'everything__echo', arguments: { message: 'still there?' } },
  memory: { name: 'memory__read_graph', arguments: {} },
};

const sickFile = (/** @type {string} */ folder, /** @type {string} */ id) => join(folder, `${id}.sick`);
const callsFile = (/** @type {string} */ folder, /** @type {string} */ id) => join(folder, `${id}.calls`);

/** Starts the one that is reached over HTTP; it ends with its stdin. @param {string} folder @param {string} id */
const startHttp = async (folder, id) => {
  const env = { PATH: process.env.PATH, TOKEN_FILE: sickFile(folder, id), CALLS: callsFile(folder, id) };
  const child = spawn(process.execPath, [fakeFile('http-login')], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) {
    const port = /port (\d+)/.exec(String(chunk))?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.stdin.end() };
  }
  throw new Error('the HTTP server did not start');
};

const headersFor = (/** @type {string} */ token) => ({ Authorization: `Bearer ${token}` });

/** @param {string} folder @param {string} id @param {Kind} kind @param {string | undefined} url */
const entryOf = (folder, id, { file, env = {}, config = {} }, url) => {
  if (url !== undefined) return { url, headers: headersFor(TOKEN), ...config };
  const own = { SICK: sickFile(folder, id), CALLS: callsFile(folder, id), ...env };
  return { command: process.execPath, args: [fakeFile(file)], env: own, ...config };
};

/** A file that is there while the server is to be sick. @param {string} id @param {Kind} kind @returns {Disturbance} */
const sickness = (id, { done, expects, kill = false }) => ({
  id,
  server: id,
  done,
  expects,
  begin: (world) => {
    writeFileSync(sickFile(world.folder, id), '');
    if (kill) world.signal(id, 'SIGKILL');
  },
  end: (world) => rmSync(sickFile(world.folder, id), { force: true }),
});

/** A token that the server takes no more, until the file has a new one. @param {string} id @param {Kind} kind @returns {Disturbance} */
const expiry = (id, { done, expects }) => ({
  id,
  server: id,
  done,
  expects,
  begin: ({ folder }) => writeFileSync(sickFile(folder, id), NEW_TOKEN),
  end: ({ change }) => change((board) => Object.assign(board.mcpServers[id], { headers: headersFor(NEW_TOKEN) })),
});

/** @param {string} id @param {Kind} kind @returns {Disturbance} */
const stopping = (id, { done, expects }) => {
  /** @type {number | undefined} */
  let group;
  return {
    id,
    server: id,
    done,
    expects,
    begin: (world) => {
      group = world.signal(id, 'SIGSTOP');
    },
    end: (world) => world.signalGroup(group, 'SIGCONT'),
  };
};

/** @param {string} id @param {Kind} kind */
const disturbanceOf = (id, kind) => {
  if (id === 'auth-expired') return expiry(id, kind);
  return kind.stop === true ? stopping(id, kind) : sickness(id, kind);
};

/**
 * @param {string} folder @param {readonly string[]} ids
 * @returns {Promise<import('./disturb.mjs').Cast>}
 */
export const fakeCast = async (folder, ids) => {
  const all = { ...KINDS, ...LIARS };
  const kinds = ids.map((id) => /** @type {const} */ ([id, /** @type {Record<string, Kind>} */ (all)[id]]));
  const http = ids.includes('auth-expired') ? await startHttp(folder, 'auth-expired') : undefined;
  const entries = kinds.map(([id, kind]) => {
    if (kind === undefined) throw new Error(`no kind ${id}`);
    return [id, entryOf(folder, id, kind, kind.file === 'http-login' ? http?.url : undefined)];
  });
  return {
    board: { mcpServers: { ...officials(folder), ...Object.fromEntries(entries) } },
    toolsOf: (server) =>
      server in OFFICIAL_TOOLS
        ? [/** @type {any} */ (OFFICIAL_TOOLS)[server]]
        : [{ name: `${server}__echo`, arguments: {} }],
    disturbances: () => kinds.flatMap(([id, kind]) => (kind === undefined ? [] : [disturbanceOf(id, kind)])),
    arrivalsOf: (server) => (ids.includes(server) ? readArrivals(callsFile(folder, server)) : undefined),
    stop: async () => http?.stop(),
  };
};

/** @param {string} file @returns {import('./judge.mjs').Arrival[]} */
const readArrivals = (file) => {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [at = '', key = ''] = line.split(' ');
    return { at: Number(at), key };
  });
};
