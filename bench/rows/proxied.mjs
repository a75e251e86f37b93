// A call of another server's tool through Colibri: recorded, validated, watched. Against the same call without anything in
// between, against a pass-through that does nothing else, and against a hub that people use.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../belongings.mjs';
import { alternating, Unavailable } from '../rounds.mjs';
import { BARE, hasReceipt, inFolder, PIPE, PROXY, withServer } from '../servers.mjs';
import { oneByOne, rateOf, sizeOf, statsOf } from '../traffic.mjs';

const WIDTH = 64;
const HUB = 'mcp-hub-mcp@1.3.1';
const PATIENCE_MS = 20_000;
const PING = 'server_ping';

/** @typedef {'ours' | 'bare' | 'pipe' | 'proxy' | 'hub'} Kind */

/** How the same tool is called on each side. @type {Record<Kind, object>} */
const CALLS = {
  ours: { name: `far__${PING}`, arguments: {} },
  bare: { name: PING, arguments: {} },
  pipe: { name: PING, arguments: {} },
  proxy: { name: PING, arguments: {} },
  hub: { name: 'call-tool', arguments: { serverName: 'far', toolName: PING, toolArgs: {} } },
};

/** The hub is nobody's dependency: it is fetched once for a run. */
const hubFolder = (() => {
  /** @type {string | undefined} */
  let folder;
  return () => {
    if (folder !== undefined) return folder;
    const fresh = makeFolder('hub');
    try {
      execFileSync('npm', ['install', '--prefix', fresh, '--no-audit', '--no-fund', HUB], { stdio: 'ignore' });
    } catch {
      throw new Unavailable(`${HUB} cannot be installed`);
    }
    folder = fresh;
    return folder;
  };
})();

/** @param {Kind} kind @param {string} folder @returns {{ program?: string[], env: Record<string, string> }} */
const programOf = (kind, folder) => {
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { far: { command: process.execPath, args: BARE } } }));
  if (kind === 'ours') return { env: { COLIBRI_SWITCHBOARD: file } };
  if (kind === 'bare') return { env: {} };
  if (kind === 'pipe') return { program: [...PIPE, ...BARE], env: {} };
  if (kind === 'proxy') return { program: [...PROXY, ...BARE], env: {} };
  const program = [join(hubFolder(), 'node_modules', 'mcp-hub-mcp', 'dist', 'index.js')];
  return { program, env: { MCP_CONFIG_PATH: file } };
};

/**
 * The tool through that side, once the server behind it answers.
 * @template T
 * @param {Kind} kind
 * @param {(call: () => Promise<any>) => Promise<T>} use
 */
const withTool = (kind, use) =>
  inFolder((folder) => {
    const { program, env } = programOf(kind, folder);
    const started = kind === 'ours' ? 'ours' : 'bare';
    return withServer(started, folder, { env, ...(program && { program }) }, async (client) => {
      const call = () => client.request('tools/call', CALLS[kind]);
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const answer = await call().catch((thrown) => ({ isError: true, thrown }));
        if (answer.isError !== true) break;
        if (performance.now() > deadline) throw new Error(`${kind}: no answer of the tool: ${JSON.stringify(answer)}`);
        await sleep(50);
      }
      return use(call);
    });
  });

/** @param {Kind} kind @param {number} unrecorded @param {number} calls */
const notesOf = (kind, unrecorded, calls) =>
  kind === 'ours' && unrecorded > 0 ? [`${unrecorded} of ${calls} replies had no receipt`] : [];

/** @param {Kind} kind @param {{ warmUp: number, calls: number }} size */
const latency =
  (kind, { warmUp, calls }) =>
  () =>
    withTool(kind, async (call) => {
      const one = async () => hasReceipt(await call());
      await oneByOne(one, warmUp);
      const { timesUs, answers } = await oneByOne(one, calls);
      const stats = statsOf(timesUs);
      const unrecorded = answers.filter((receipt) => !receipt).length;
      return { value: stats.p50Us, details: stats, notes: notesOf(kind, unrecorded, calls) };
    });

/** @param {Kind} kind @param {number} calls */
const rate = (kind, calls) => () =>
  withTool(kind, async (call) => {
    const { perSecond, unrecorded, clientBusy } = await rateOf({ ping: call }, WIDTH, calls);
    return { value: perSecond, details: { clientBusy }, notes: notesOf(kind, unrecorded, calls) };
  });

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const proxiedRows = (quick) => [
  {
    id: 'proxied',
    name: 'proxied call, p50, ÷ direct',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    goals: { now: 2.3, design: 1.8 },
    measure: alternating(latency('ours', sizeOf(quick)), latency('bare', sizeOf(quick))),
  },
  {
    id: 'proxied-bare',
    name: 'proxied call, p50, ÷ bare pass-through',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    goals: { now: 1.1 },
    measure: alternating(latency('ours', sizeOf(quick)), latency('proxy', sizeOf(quick))),
  },
  {
    id: 'pipe',
    name: 'bytes piped on, p50, ÷ direct',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    goals: {},
    measure: alternating(latency('pipe', sizeOf(quick)), latency('bare', sizeOf(quick))),
  },
  {
    id: 'proxied-in-flight',
    name: `proxied, ${WIDTH} in flight, ÷ mcp-hub-mcp`,
    unit: 'calls/s',
    judged: 'ratio',
    better: '>=',
    goals: { now: 1.5, design: 2 },
    measure: alternating(rate('ours', quick ? 500 : 3_000), rate('hub', quick ? 500 : 3_000)),
  },
];
