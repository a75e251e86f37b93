// A store on PostgreSQL, on loopback: what a recorded call asks of the server, what machines on one server do together, and whether they wait for
// each other.
import { setTimeout as sleep } from 'node:timers/promises';
import { countingStatements, withDatabase } from '../postgres/server.mjs';
import { postgresTaskStores } from '../postgres/task-stores.mjs';
import { onDatabase, oneOnFile, team } from '../postgres/team.mjs';
import { remembered } from '../rounds.mjs';
import { inFolder, withServer } from '../servers.mjs';
import { oneByOne, sizeOf, statsOf, takingTurns } from '../traffic.mjs';
import { claimRow } from './task-growth.mjs';

const NODES = [1, 2, 4, 8];
/** So many processes of one machine are compared with as many machines. */
const CROWD = 4;
/** Pings that were answered before the store was open are recorded when it is. */
const SETTLE_MS = 1_000;
const SHOWN_STATEMENTS = 3;
const SHOWN_CHARS = 70;

const short = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').slice(0, SHOWN_CHARS);

/** What the server counts while calls come one after the other; the first calls, which prepare statements, are not counted. @param {boolean} quick */
const roundTripsRow = (quick) => ({
  id: 'postgres-statements',
  name: 'PostgreSQL: statements that the server counts, ÷ audited pings',
  unit: '',
  judged: /** @type {const} */ ('ratio'),
  better: /** @type {const} */ ('<='),
  isOneBuild: true,
  measure: () =>
    withDatabase(({ name, url }) =>
      inFolder((folder) =>
        withServer('ours', folder, onDatabase(url), async (client) => {
          const { warmUp, calls } = sizeOf(quick);
          await oneByOne(() => client.ping(), warmUp);
          await sleep(SETTLE_MS);
          const counted = await countingStatements(name, () => oneByOne(() => client.ping(), calls));
          const statements = counted.map(({ text, calls: times }) => ({ text: short(text), times }));
          return {
            ours: statements.reduce((sum, { times }) => sum + times, 0),
            reference: calls,
            details: { statements },
          };
        }),
      ),
    ),
  remark: (/** @type {readonly import('../rounds.mjs').Pair[]} */ [pair]) =>
    /** @type {{ text: string, times: number }[]} */ (pair?.details?.statements ?? [])
      .slice(0, SHOWN_STATEMENTS)
      .map(({ text, times }) => `${times} × ${text}`)
      .join('; '),
});

/** @param {boolean} quick */
const pingRow = (quick) => ({
  id: 'postgres-ping',
  name: 'PostgreSQL: audited ping, p50, ÷ on a file',
  unit: 'µs',
  judged: /** @type {const} */ ('ratio'),
  better: /** @type {const} */ ('<='),
  isOneBuild: true,
  measure: (/** @type {number} */ round) =>
    withDatabase(({ url }) =>
      inFolder((there) =>
        inFolder((here) =>
          withServer('ours', there, onDatabase(url), (onServer) =>
            withServer('ours', here, {}, async (onFile) => {
              const { warmUp, calls } = sizeOf(quick);
              const both = [() => onServer.ping(), () => onFile.ping()];
              await takingTurns(both, { calls: warmUp, first: round });
              const [ours, reference] = (await takingTurns(both, { calls, first: round })).map(({ timesUs }) =>
                statsOf(timesUs),
              );
              return { ours: ours?.p50Us ?? Number.NaN, reference: reference?.p50Us ?? Number.NaN };
            }),
          ),
        ),
      ),
    ),
});

/** The rows about several machines, which share their measurements. @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
const teamRows = (quick) => {
  const ms = quick ? 1_000 : 4_000;
  /** Of calls that were recorded. @param {{ receipts: number }} traffic */
  const perSecond = ({ receipts }) => (receipts / ms) * 1000;
  const nodes = new Map(NODES.map((count) => [count, remembered(() => team({ nodes: count, ms }))]));
  const of = (/** @type {number} */ count, /** @type {number} */ round) => {
    const measured = nodes.get(count);
    if (measured === undefined) throw new Error(`${count} nodes are not measured`);
    return measured(round);
  };
  const processes = remembered(() => team({ nodes: 1, processes: CROWD, ms }));
  const onFile = remembered(() => oneOnFile(ms));
  const row = {
    unit: 'calls/s',
    judged: /** @type {const} */ ('ratio'),
    better: /** @type {const} */ ('>='),
    isOneBuild: true,
  };
  const unrecorded = (/** @type {{ answered: number, receipts: number }} */ { answered, receipts }) =>
    answered === receipts ? [] : [`${answered - receipts} calls without receipt`];
  return [
    {
      ...row,
      id: 'postgres-1',
      name: 'PostgreSQL: 1 machine, calls/s, ÷ on a file',
      measure: async (round) => {
        const ours = await of(1, round);
        return { ours: perSecond(ours), reference: perSecond(await onFile(round)), notes: unrecorded(ours) };
      },
    },
    ...NODES.slice(1).map((count) => ({
      ...row,
      id: `postgres-${count}`,
      name: `PostgreSQL: ${count} machines, calls/s together, ÷ 1 machine`,
      measure: async (/** @type {number} */ round) => {
        const ours = await of(count, round);
        return { ours: perSecond(ours), reference: perSecond(await of(1, round)), notes: unrecorded(ours) };
      },
    })),
    {
      ...row,
      id: 'postgres-one-log',
      name: `PostgreSQL: ${CROWD} processes of 1 machine, calls/s together, ÷ ${CROWD} machines`,
      measure: async (round) => ({
        ours: perSecond(await processes(round)),
        reference: perSecond(await of(CROWD, round)),
      }),
    },
    {
      ...row,
      id: 'postgres-waits',
      name: `PostgreSQL: sessions seen waiting for a lock, ${CROWD} machines; beside it ${CROWD} processes of 1 machine`,
      unit: 'waits',
      judged: 'ours',
      better: '<=',
      measure: async (round) => {
        const [apart, one] = [(await of(CROWD, round)).watched, (await processes(round)).watched];
        // Processes of one machine do wait for each other: where none is seen, nothing would be seen.
        if (one.waiting === 0) throw new Error(`no wait was seen in ${one.looks} looks, though processes share a log`);
        return { ours: apart.waiting, reference: one.waiting, details: { machines: apart, processes: one } };
      },
      remark: (pairs) => {
        const seen = pairs.map(({ details }) => /** @type {any} */ (details).machines);
        return seen.map(({ looks, locks }) => `${looks} looks, locks ${JSON.stringify(locks)}`).join('; ');
      },
    },
  ];
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const postgresRows = (quick) => [
  roundTripsRow(quick),
  pingRow(quick),
  ...teamRows(quick),
  { ...claimRow(postgresTaskStores({ small: 1_000, large: quick ? 20_000 : 1_000_000 }), quick), id: 'postgres-claim' },
];
