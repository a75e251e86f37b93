// A call of another server's tool through Colibri: recorded, validated, watched. Against the same call without anything in
// between, against a pass-through that does nothing else, and against a hub that people use.
import { withTool } from '../far-tool.mjs';
import { alternating } from '../rounds.mjs';
import { hasReceipt } from '../servers.mjs';
import { oneByOne, rateOf, sizeOf, statsOf } from '../traffic.mjs';

const WIDTH = 64;

/** @typedef {import('../far-tool.mjs').Way} Way */

/** @param {Way} way @param {number} unrecorded @param {number} calls */
const notesOf = (way, unrecorded, calls) =>
  way === 'ours' && unrecorded > 0 ? [`${unrecorded} of ${calls} replies had no receipt`] : [];

/** @param {Way} way @param {{ warmUp: number, calls: number }} size */
const latency =
  (way, { warmUp, calls }) =>
  () =>
    withTool(way, async ({ call }) => {
      const one = async () => hasReceipt(await call());
      await oneByOne(one, warmUp);
      const { timesUs, answers } = await oneByOne(one, calls);
      const stats = statsOf(timesUs);
      const unrecorded = answers.filter((receipt) => !receipt).length;
      return { value: stats.p50Us, details: stats, notes: notesOf(way, unrecorded, calls) };
    });

/** @param {Way} way @param {number} calls */
const rate = (way, calls) => () =>
  withTool(way, async ({ call }) => {
    const { perSecond, unrecorded, clientBusy } = await rateOf({ ping: call }, WIDTH, calls);
    return { value: perSecond, details: { clientBusy }, notes: notesOf(way, unrecorded, calls) };
  });

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const proxiedRows = (quick) => [
  {
    id: 'proxied',
    name: 'proxied call, p50, ÷ direct',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    ...alternating(latency('ours', sizeOf(quick)), latency('bare', sizeOf(quick))),
  },
  {
    id: 'proxied-bare',
    name: 'proxied call, p50, ÷ bare pass-through',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    ...alternating(latency('ours', sizeOf(quick)), latency('proxy', sizeOf(quick))),
  },
  {
    id: 'pipe',
    name: 'bytes piped on, p50, ÷ direct',
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    isOneBuild: true,
    ...alternating(latency('pipe', sizeOf(quick)), latency('bare', sizeOf(quick))),
  },
  {
    id: 'proxied-in-flight',
    name: `proxied, ${WIDTH} in flight, ÷ mcp-hub-mcp`,
    unit: 'calls/s',
    judged: 'ratio',
    better: '>=',
    ...alternating(rate('ours', quick ? 500 : 3_000), rate('hub', quick ? 500 : 3_000)),
  },
];
