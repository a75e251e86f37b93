// `reputation_get` at a thousand times as many records. Both stores span the same days: what is read of a node are its days, however many
// records each of them has.
import { reputationGet } from '../../build/domains/reputation/get.js';
import { ledgerStore } from '../ledger-stores.mjs';
import { ledgerGrowth } from './ledger-growth.mjs';

const DAY_MS = 86_400_000;
const SPAN_DAYS = 90;
const AGENTS = ['ada', 'bob', 'cyd', 'dan', 'eve'];
const WHY = ['done', 'done', 'done', 'reopened', 'expired'];

/** Evenly over the days up to today; who does it and how it ends changes from call to call. @type {import('../ledger-stores.mjs').Traffic} */
const traffic = (i, calls) => {
  const ageMs = ((calls - i) / calls) * SPAN_DAYS * DAY_MS;
  const place = { server: `s${i % 3}`, tool: 'echo' };
  return {
    at: new Date(Date.now() - ageMs).toISOString(),
    notes: {
      credits: [
        { node: AGENTS[i % 5], why: WHY[(i >> 3) % 5] },
        { node: AGENTS[(i + 1) % 5], why: 'delivered' },
      ],
      route: {
        name: null,
        candidates: [{ ...place, eligible: true, state: 'HEALTHY' }],
        attempts: [{ ...place, how: i % 9 === 0 ? 'timeout' : 'result', sent: true, duration_ms: 3 }],
      },
    },
  };
};

const { handler } = reputationGet(/** @type {any} */ ({ mode: 'FULL' }), {});

/** @param {{ store: import('../../build/store/store.js').Store }} opened @returns {() => Promise<unknown>} */
const asking =
  ({ store }) =>
  async () => {
    const now = () => new Date().toISOString();
    /** @type {any} */
    const answer = await store.read(async (tx) => handler({ node_id: 'ada' }, /** @type {any} */ ({ tx, now })));
    if (answer.rows.length !== 3) throw new Error(`${answer.rows.length} rows of three`);
  };

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const reputationRow = (quick) => {
  const counts = { small: 1_000, large: quick ? 20_000 : 1_000_000 };
  const stores = { small: ledgerStore(counts.small, traffic), large: ledgerStore(counts.large, traffic) };
  return {
    id: 'reputation',
    name: `reputation_get, p50, at ${counts.large.toLocaleString('en-US')} records ÷ at 1,000`,
    unit: 'µs',
    judged: 'ratio',
    better: '<=',
    isOneBuild: true,
    measure: ledgerGrowth(stores, asking, quick ? { warmUp: 50, calls: 200 } : { warmUp: 300, calls: 1_000 }),
  };
};
