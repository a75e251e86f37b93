// Bytes that a call leaves on the JavaScript heap of the server's main thread, in runs of their own: counting them takes time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withOwnTool, withTool } from '../far-tool.mjs';
import { remembered, Unavailable } from '../rounds.mjs';
import { inFolder } from '../servers.mjs';
import { callsInFlight } from '../traffic.mjs';

const PRELOAD = new URL('../heap-growth.mjs', import.meta.url).href;
const WIDTHS = [1, 64];
/** A signal has arrived, and what a call leaves to do is done. */
const SETTLE_MS = 200;

/** KB a call, one after the other and with 64 in flight. @param {typeof withTool} reach @param {'ours' | 'bare' | 'hub'} way @param {number} calls */
const side = (reach, way, calls) =>
  remembered(() => {
    if (process.platform === 'win32') throw new Unavailable('this system has no SIGUSR2');
    return inFolder(async (folder) => {
      const file = join(folder, 'heap.json');
      const extra = { env: { BENCH_HEAP_FILE: file }, nodeArgs: ['--import', PRELOAD] };
      const toggling = async (/** @type {import('../far-tool.mjs').Reached} */ { client, call }) => {
        for (const width of WIDTHS) {
          await callsInFlight({ ping: call }, width, calls);
          client.signal('SIGUSR2');
          await sleep(SETTLE_MS);
          await callsInFlight({ ping: call }, width, calls);
          client.signal('SIGUSR2');
          await sleep(SETTLE_MS);
        }
      };
      await reach(way, toggling, extra);
      const stretches = /** @type {number[]} */ (JSON.parse(readFileSync(file, 'utf8')));
      if (stretches.length !== WIDTHS.length) throw new Error(`${way} measured ${stretches.length} stretches`);
      return stretches.map((bytes) => bytes / calls / 1024);
    });
  });

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const garbageRows = (quick) => {
  const calls = quick ? 500 : 1_000;
  const own = /** @type {typeof withTool} */ (withOwnTool);
  const kinds = [
    {
      id: ['ping', 'in-flight'],
      what: 'ping',
      over: 'bare',
      sides: [side(own, 'ours', calls), side(own, 'bare', calls)],
    },
    {
      id: ['proxied', 'proxied-in-flight'],
      what: 'proxied call',
      over: 'mcp-hub-mcp',
      sides: [side(withTool, 'ours', calls), side(withTool, 'hub', calls)],
    },
  ];
  return kinds.flatMap(({ id, what, over, sides: [ours, reference] }) =>
    WIDTHS.map((width, i) => ({
      id: `${id[i]}-garbage`,
      name: `garbage of a ${what}${width === 1 ? '' : `, ${width} in flight`}, ÷ ${over}`,
      unit: 'KB',
      judged: /** @type {const} */ ('ratio'),
      better: /** @type {const} */ ('<='),
      measure: async (/** @type {number} */ round) => ({
        ours: (await ours?.(round))?.[i] ?? Number.NaN,
        reference: (await reference?.(round))?.[i] ?? Number.NaN,
      }),
    })),
  );
};
