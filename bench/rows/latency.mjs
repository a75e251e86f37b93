// One call after the other: what recording adds to the time a caller waits.
import { alternating, median, quantile } from '../rounds.mjs';
import { hasReceipt, inFolder, withServer } from '../servers.mjs';

/** @param {import('../client.mjs').Client} client @param {number} calls */
const timesOf = async (client, calls) => {
  const timesUs = [];
  let receipts = 0;
  for (let i = 0; i < calls; i++) {
    const began = performance.now();
    const result = await client.ping();
    timesUs.push((performance.now() - began) * 1000);
    if (hasReceipt(result)) receipts += 1;
  }
  return { timesUs, receipts };
};

/** @param {import('../servers.mjs').Kind} kind @param {{ warmUp: number, calls: number }} size */
const side =
  (kind, { warmUp, calls }) =>
  () =>
    inFolder((folder) =>
      withServer(kind, folder, {}, async (client) => {
        await timesOf(client, warmUp);
        const { timesUs, receipts } = await timesOf(client, calls);
        const unrecorded = kind === 'ours' ? calls - receipts : 0;
        return {
          value: median(timesUs),
          details: { p50Us: median(timesUs), p90Us: quantile(timesUs, 0.9), p99Us: quantile(timesUs, 0.99) },
          notes: unrecorded > 0 ? [`${unrecorded} of ${calls} replies had no receipt`] : [],
        };
      }),
    );

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const latencyRow = (quick) => {
  const size = quick ? { warmUp: 100, calls: 300 } : { warmUp: 300, calls: 1_500 };
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
