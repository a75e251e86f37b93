// Large results of another server: what a caller waits for 1 MB, and for how long 10 MB stop the event loop of the process in between.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withTool } from '../far-tool.mjs';
import { alternating, Unavailable } from '../rounds.mjs';
import { inFolder } from '../servers.mjs';
import { oneByOne, statsOf } from '../traffic.mjs';

const PRELOAD = new URL('../loop-delay.mjs', import.meta.url).href;
const PROGRAM = [fileURLToPath(new URL('../large-server.mjs', import.meta.url))];
const MB = 1_000_000;
/** The signal has arrived before the traffic begins, and before the end of stdin does. */
const SETTLE_MS = 200;

/** @param {number} bytes */
const largeTool = (bytes) => ({ program: PROGRAM, name: 'large', args: { bytes } });

/** Calls that must be answered in full. @param {() => Promise<any>} call @param {number} bytes @param {number} calls */
const answered = async (call, bytes, calls) => {
  const length = async () => (await call()).content?.[0]?.text?.length;
  const { timesUs, answers } = await oneByOne(length, calls);
  if (answers.some((chars) => chars !== bytes)) throw new Error(`a result had ${answers} characters, not ${bytes}`);
  return statsOf(timesUs);
};

/** @param {'ours' | 'bare'} way @param {number} calls */
const waiting = (way, calls) => () =>
  withTool(
    way,
    async ({ call }) => {
      await answered(call, MB, Math.ceil(calls / 5));
      const stats = await answered(call, MB, calls);
      return { value: stats.p50Us / 1000, details: stats };
    },
    { tool: largeTool(MB) },
  );

/** @param {'ours' | 'proxy'} way @param {number} calls */
const freeze = (way, calls) => async () => {
  if (process.platform === 'win32') throw new Unavailable('this system has no SIGUSR2');
  return inFolder(async (folder) => {
    const file = join(folder, 'loop.json');
    const extra = { tool: largeTool(10 * MB), env: { BENCH_LOOP_FILE: file }, nodeArgs: ['--import', PRELOAD] };
    await withTool(
      way,
      async ({ client, call }) => {
        await answered(call, 10 * MB, 2);
        client.signal('SIGUSR2');
        await sleep(SETTLE_MS);
        await answered(call, 10 * MB, calls);
        client.signal('SIGUSR2');
        await sleep(SETTLE_MS);
      },
      extra,
    );
    const { maxMs, ...details } = JSON.parse(readFileSync(file, 'utf8'));
    if (maxMs === undefined) throw new Error(`${way} did not measure its event loop`);
    return { value: maxMs, details };
  });
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const largeRows = (quick) => [
  {
    id: 'large',
    name: 'proxied result of 1 MB, p50, ÷ direct',
    unit: 'ms',
    judged: 'ratio',
    better: '<=',
    ...alternating(waiting('ours', quick ? 10 : 50), waiting('bare', quick ? 10 : 50)),
  },
  {
    id: 'large-freeze',
    name: 'proxied results of 10 MB: longest freeze, ÷ bare pass-through',
    unit: 'ms',
    judged: 'ours',
    better: '<=',
    ...alternating(freeze('ours', quick ? 2 : 5), freeze('proxy', quick ? 2 : 5)),
  },
];
