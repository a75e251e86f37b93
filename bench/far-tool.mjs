// The same tool of the same server, called in five ways: with nothing in between, and through each of those that stand in between.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from './belongings.mjs';
import { Unavailable } from './rounds.mjs';
import { BARE, inFolder, PIPE, PROXY, withServer } from './servers.mjs';

export const HUB = 'mcp-hub-mcp@1.3.1';
const FETCH_MS = 120_000;
const PATIENCE_MS = 20_000;

/** @typedef {'ours' | 'bare' | 'pipe' | 'proxy' | 'hub'} Way */
/** @typedef {{ program: string[], name: string, args: object }} Tool */
/** @typedef {{ client: import('./client.mjs').Client, call: () => Promise<any> }} Reached */

/** @type {Tool} */
const PING = { program: BARE, name: 'server_ping', args: {} };

/** @param {Way} way @param {Tool} tool */
const requestFor = (way, { name, args }) => {
  if (way === 'ours') return { name: `far__${name}`, arguments: args };
  if (way === 'hub') return { name: 'call-tool', arguments: { serverName: 'far', toolName: name, toolArgs: args } };
  return { name, arguments: args };
};

/** The hub is nobody's dependency: it is fetched once for a run. */
const hubFolder = (() => {
  /** @type {string | undefined} */
  let folder;
  return () => {
    if (folder !== undefined) return folder;
    const fresh = makeFolder('hub');
    try {
      const options = { stdio: /** @type {const} */ ('ignore'), timeout: FETCH_MS };
      execFileSync('npm', ['install', '--prefix', fresh, '--no-audit', '--no-fund', HUB], options);
    } catch {
      throw new Unavailable(`${HUB} cannot be installed`);
    }
    folder = fresh;
    return folder;
  };
})();

/** @param {Way} way @param {string} folder @param {string[]} far @returns {{ program?: string[], env: Record<string, string> }} */
const programOf = (way, folder, far) => {
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { far: { command: process.execPath, args: far } } }));
  if (way === 'ours') return { env: { COLIBRI_SWITCHBOARD: file } };
  if (way === 'bare') return { program: far, env: {} };
  if (way === 'pipe') return { program: [...PIPE, ...far], env: {} };
  if (way === 'proxy') return { program: [...PROXY, ...far], env: {} };
  const program = [join(hubFolder(), 'node_modules', 'mcp-hub-mcp', 'dist', 'index.js')];
  return { program, env: { MCP_CONFIG_PATH: file } };
};

/**
 * `server_ping` of a server itself: ours, or the bare one.
 * @template T
 * @param {'ours' | 'bare'} way
 * @param {(reached: Reached) => Promise<T>} use
 * @param {{ env?: Record<string, string>, nodeArgs?: string[] }} [extra]
 */
export const withOwnTool = (way, use, extra = {}) =>
  inFolder((folder) => withServer(way, folder, extra, (client) => use({ client, call: () => client.ping() })));

/**
 * The tool through that way, once the server behind it answers.
 * @template T
 * @param {Way} way
 * @param {(reached: Reached) => Promise<T>} use
 * @param {{ tool?: Tool, env?: Record<string, string>, nodeArgs?: string[] }} [extra]
 */
export const withTool = (way, use, { tool = PING, env: more = {}, nodeArgs = [] } = {}) =>
  inFolder((folder) => {
    const { program, env } = programOf(way, folder, tool.program);
    const started = way === 'ours' ? 'ours' : 'bare';
    const extra = { env: { ...env, ...more }, nodeArgs, ...(program && { program }) };
    return withServer(started, folder, extra, async (client) => {
      const call = () => client.request('tools/call', requestFor(way, tool));
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const answer = await call().catch((thrown) => ({ isError: true, thrown }));
        if (answer.isError !== true) break;
        if (performance.now() > deadline) throw new Error(`${way}: no answer of the tool: ${JSON.stringify(answer)}`);
        await sleep(50);
      }
      return use({ client, call });
    });
  });
