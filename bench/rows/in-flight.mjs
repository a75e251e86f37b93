// 64 calls in flight: against the bare server, and full durability against normal.
import { tempIsMemory } from '../machine.mjs';
import { alternating, Unavailable } from '../rounds.mjs';
import { inFolder, withServer } from '../servers.mjs';
import { rateOf } from '../traffic.mjs';

const WIDTH = 64;
/** From here on the client, not the server, sets the pace. */
const CLIENT_LIMIT = 0.9;

/** @param {import('../servers.mjs').Kind} kind @param {number} calls @param {'normal' | 'full'} durability */
const side = (kind, calls, durability) => () =>
  inFolder((folder) =>
    withServer(kind, folder, { env: { COLIBRI_DURABILITY: durability } }, async (client) => {
      const { perSecond, unrecorded, clientBusy } = await rateOf(client, WIDTH, calls);
      const notes = [];
      if (kind === 'ours' && unrecorded > 0) notes.push(`${unrecorded} of ${calls} replies had no receipt`);
      if (clientBusy > CLIENT_LIMIT) notes.push(`${kind}: the client was the limit (busy ${clientBusy.toFixed(2)})`);
      return { value: perSecond, details: { clientBusy }, notes };
    }),
  );

const callsOf = (/** @type {boolean} */ quick) => (quick ? 1_000 : 6_000);

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const inFlightRow = (quick) => ({
  id: 'in-flight',
  name: `${WIDTH} in flight, ÷ bare`,
  unit: 'calls/s',
  judged: 'ratio',
  better: '>=',
  ...alternating(side('ours', callsOf(quick), 'normal'), side('bare', callsOf(quick), 'normal')),
});

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const durabilityRow = (quick) => {
  const full = side('ours', callsOf(quick), 'full');
  const ours = async () => {
    if (tempIsMemory()) throw new Unavailable('the temporary folder is in memory, where a sync is free: set TMPDIR');
    return full();
  };
  return {
    id: 'durability',
    name: `full durability, ${WIDTH} in flight, ÷ normal`,
    unit: 'calls/s',
    judged: 'ratio',
    better: '>=',
    ...alternating(ours, side('ours', callsOf(quick), 'normal')),
  };
};
