// One call after the other: what recording adds to the time a caller waits.
import { alternating } from '../rounds.mjs';
import { hasReceipt, inFolder, withoutStore, withServer } from '../servers.mjs';
import { oneByOne, sizeOf, statsOf } from '../traffic.mjs';

/** @typedef {'recorded' | 'unrecorded' | 'bare'} Side */

/** @param {Side} side @param {{ warmUp: number, calls: number }} size */
const pings =
  (side, { warmUp, calls }) =>
  () =>
    inFolder((folder) => {
      const kind = side === 'bare' ? 'bare' : 'ours';
      return withServer(kind, folder, side === 'unrecorded' ? withoutStore(folder) : {}, async (client) => {
        const ping = async () => hasReceipt(await client.ping());
        await oneByOne(ping, warmUp);
        const { timesUs, answers } = await oneByOne(ping, calls);
        const stats = statsOf(timesUs);
        return { value: stats.p50Us, details: stats, notes: notesOf(side, answers) };
      });
    });

/** @param {Side} side @param {readonly boolean[]} receipts @returns {string[]} */
const notesOf = (side, receipts) => {
  const recorded = receipts.filter(Boolean).length;
  if (side === 'recorded' && recorded < receipts.length)
    return [`${receipts.length - recorded} of ${receipts.length} replies had no receipt`];
  return side === 'unrecorded' && recorded > 0 ? [`${recorded} of ${receipts.length} replies had a receipt`] : [];
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const latencyRows = (quick) => {
  const size = sizeOf(quick);
  return [
    {
      id: 'ping',
      name: 'audited ping, p50, ÷ bare',
      unit: 'µs',
      judged: 'ratio',
      better: '<=',
      ...alternating(pings('recorded', size), pings('bare', size)),
    },
    {
      id: 'audit',
      name: 'audited ping, p50, ÷ unaudited',
      unit: 'µs',
      judged: 'ratio',
      better: '<=',
      isOneBuild: true,
      ...alternating(pings('recorded', size), pings('unrecorded', size)),
    },
  ];
};
