// One call after the other: what recording adds to the time a caller waits.
import { alternating } from '../rounds.mjs';
import { hasReceipt, inFolder, withServer } from '../servers.mjs';
import { oneByOne, sizeOf, statsOf } from '../traffic.mjs';

/** @param {import('../servers.mjs').Kind} kind @param {{ warmUp: number, calls: number }} size */
const side =
  (kind, { warmUp, calls }) =>
  () =>
    inFolder((folder) =>
      withServer(kind, folder, {}, async (client) => {
        const ping = async () => hasReceipt(await client.ping());
        await oneByOne(ping, warmUp);
        const { timesUs, answers } = await oneByOne(ping, calls);
        const unrecorded = kind === 'ours' ? answers.filter((receipt) => !receipt).length : 0;
        const stats = statsOf(timesUs);
        return {
          value: stats.p50Us,
          details: stats,
          notes: unrecorded > 0 ? [`${unrecorded} of ${calls} replies had no receipt`] : [],
        };
      }),
    );

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const latencyRow = (quick) => {
  const size = sizeOf(quick);
  return {
    id: 'ping',
    name: 'audited ping, p50, ÷ bare',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    goals: { now: 1.9, design: 1.1 },
    measure: alternating(side('ours', size), side('bare', size)),
  };
};
