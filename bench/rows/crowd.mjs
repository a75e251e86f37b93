// Several processes on one file: for how long the event loop of one of them stood still. A bare server gets the same
// traffic at the same time: what it suffers is the machine's doing, not the store's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { barrier } from '../barrier.mjs';
import { median, remembered, Unavailable } from '../rounds.mjs';
import { inFolder, withServer } from '../servers.mjs';
import { callsFor } from '../traffic.mjs';

const PRELOAD = new URL('../loop-delay.mjs', import.meta.url).href;
const WIDTH = 16;
/** Two starting processes take turns at the file; nobody is measured before all of them serve. */
const SETTLE_MS = 300;

/** @typedef {{ maxMs: number, p99Ms: number, answered: number, receipts: number }} Seen */

/**
 * @param {{ kind: import('../servers.mjs').Kind, folder: string, name: string, ms: number }} what
 * @param {ReturnType<typeof barrier>} ready
 * @returns {Promise<Seen>}
 */
const member = async ({ kind, folder, name, ms }, ready) => {
  const file = join(folder, `${name}.json`);
  const extra = { env: { BENCH_LOOP_FILE: file }, nodeArgs: ['--import', PRELOAD] };
  const traffic = await withServer(kind, folder, extra, async (client) => {
    await callsFor(client, WIDTH, SETTLE_MS);
    await ready.arrive();
    client.signal('SIGUSR2');
    const counts = await callsFor(client, WIDTH, ms);
    client.signal('SIGUSR2');
    await sleep(SETTLE_MS); // the signal arrives before the end of stdin does
    return counts;
  }).finally(ready.give);
  const { maxMs, p99Ms } = JSON.parse(readFileSync(file, 'utf8'));
  if (maxMs === undefined) throw new Error(`${name} did not measure its event loop`);
  return { maxMs, p99Ms, ...traffic };
};

/** @param {number} processes @param {number} ms */
const crowd = (processes, ms) =>
  inFolder(async (folder) => {
    const ready = barrier(processes + 1);
    const ours = Array.from({ length: processes }, (_, i) =>
      member({ kind: 'ours', folder, name: `ours-${i}`, ms }, ready),
    );
    const settled = await Promise.allSettled([member({ kind: 'bare', folder, name: 'control', ms }, ready), ...ours]);
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const [control, ...members] = settled.map((one) => /** @type {PromiseFulfilledResult<Seen>} */ (one).value);
    return { control: /** @type {Seen} */ (control), members };
  });

/** @param {readonly Seen[]} members @param {'answered' | 'receipts'} field */
const total = (members, field) => members.reduce((sum, seen) => sum + seen[field], 0);

/** @param {readonly import('../rounds.mjs').Pair[]} pairs */
const remark = (pairs) => {
  const middle = (/** @type {string} */ key) => median(pairs.map(({ details }) => Number(details?.[key])));
  return `median process ${middle('medianProcessMs').toFixed(0)} ms; ${middle('unrecorded').toFixed(0)} calls without receipt`;
};

/** The freezes and the calls of one crowd. @param {number} processes @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const crowdRows = (processes, quick) => {
  const ms = quick ? 1_000 : 4_000;
  const perSecond = (/** @type {number} */ calls) => (calls / ms) * 1000;
  const seen = remembered(() => {
    if (process.platform === 'win32') throw new Unavailable('this system has no SIGUSR2');
    return crowd(processes, ms);
  });
  return [
    {
      id: `crowd-${processes}`,
      name: `${processes} processes on one file: longest freeze, control beside it`,
      unit: 'ms',
      judged: 'ours',
      better: '<=',
      measure: async (round) => {
        const { control, members } = await seen(round);
        const freezes = members.map(({ maxMs }) => maxMs);
        const unrecorded = total(members, 'answered') - total(members, 'receipts');
        return {
          ours: Math.max(...freezes),
          reference: control.maxMs,
          details: { medianProcessMs: median(freezes), unrecorded, members, control },
        };
      },
      remark,
    },
    {
      id: `crowd-${processes}-calls`,
      name: `${processes} processes on one file: calls/s together, control beside it`,
      unit: 'calls/s',
      judged: 'ratio',
      better: '>=',
      measure: async (round) => {
        const { control, members } = await seen(round);
        return { ours: perSecond(total(members, 'answered')), reference: perSecond(control.answered) };
      },
    },
  ];
};
