// All servers of a row stay up while it is measured, and short bursts of calls alternate between them: they are compared when everything is
// compiled, and within the same second. The same bursts say what processor time a call takes.

import { inBuild } from '../builds.mjs';
import { withOwnTool, withTool } from '../far-tool.mjs';
import { demandProcessorTime, processorWatch } from '../processor.mjs';
import { median, remembered, Unavailable } from '../rounds.mjs';
import { hasReceipt } from '../servers.mjs';
import { callsInFlight, oneByOne, takingTurns } from '../traffic.mjs';

const WIDTH = 64;

/** `other`: ours, of another build. @typedef {import('../far-tool.mjs').Way | 'other'} Way */
/** @typedef {import('../far-tool.mjs').Reached} Reached */
/** @typedef {{ isOwn: boolean, width: number, ways: readonly Way[] }} Traffic */
/** @typedef {{ warmUp: number, calls: number, bursts: number }} Size */

/** @type {Record<string, Traffic>} */
const TRAFFIC = {
  ping: { isOwn: true, width: 1, ways: ['ours', 'bare'] },
  'in-flight': { isOwn: true, width: WIDTH, ways: ['ours', 'bare'] },
  proxied: { isOwn: false, width: 1, ways: ['ours', 'bare', 'proxy', 'hub'] },
  'proxied-in-flight': { isOwn: false, width: WIDTH, ways: ['ours', 'hub'] },
};

/** @type {readonly { id: string, traffic: keyof typeof TRAFFIC, of: 'speed' | 'processor', reference: Way, name: string }[]} */
const ROWS = [
  { id: 'ping-alive', traffic: 'ping', of: 'speed', reference: 'bare', name: 'all alive: ping, p50, ÷ bare' },
  {
    id: 'in-flight-alive',
    traffic: 'in-flight',
    of: 'speed',
    reference: 'bare',
    name: `all alive: ${WIDTH} in flight, ÷ bare`,
  },
  {
    id: 'proxied-alive',
    traffic: 'proxied',
    of: 'speed',
    reference: 'bare',
    name: 'all alive: proxied, p50, ÷ direct',
  },
  {
    id: 'proxied-bare-alive',
    traffic: 'proxied',
    of: 'speed',
    reference: 'proxy',
    name: 'all alive: proxied, p50, ÷ bare pass-through',
  },
  {
    id: 'proxied-in-flight-alive',
    traffic: 'proxied-in-flight',
    of: 'speed',
    reference: 'hub',
    name: `all alive: proxied, ${WIDTH} in flight, ÷ mcp-hub-mcp`,
  },
  { id: 'ping-cpu', traffic: 'ping', of: 'processor', reference: 'bare', name: 'processor time of a ping, ÷ bare' },
  {
    id: 'in-flight-cpu',
    traffic: 'in-flight',
    of: 'processor',
    reference: 'bare',
    name: `processor time of a ping, ${WIDTH} in flight, ÷ bare`,
  },
  {
    id: 'proxied-cpu',
    traffic: 'proxied',
    of: 'processor',
    reference: 'hub',
    name: 'processor time of a proxied call, ÷ mcp-hub-mcp',
  },
  {
    id: 'proxied-in-flight-cpu',
    traffic: 'proxied-in-flight',
    of: 'processor',
    reference: 'hub',
    name: `processor time of a proxied call, ${WIDTH} in flight, ÷ mcp-hub-mcp`,
  },
];

/** What `withIt` hands out, until `end` lets it go. @template T @param {(use: (it: T) => Promise<void>) => Promise<void>} withIt */
const kept = (withIt) => {
  /** @type {(value?: undefined) => void} */
  let letGo = () => {};
  const over = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    letGo = resolve;
  });
  /** @type {Promise<void>} */
  let ended = Promise.resolve();
  const it = new Promise((/** @type {(it: T) => void} */ resolve, reject) => {
    ended = withIt((handed) => {
      resolve(handed);
      return over;
    }).catch(reject);
  });
  const end = () => {
    letGo();
    return ended;
  };
  return { it, end };
};

/** @param {Reached} reached @param {number} width @param {number} calls */
const burst = async ({ client, call }, width, calls) => {
  const processor = processorWatch(client.pid);
  if (width === 1) {
    const { timesUs, answers } = await oneByOne(async () => hasReceipt(await call()), calls);
    const receipts = answers.filter(Boolean).length;
    return { speed: median(timesUs), processor: processor() / calls, unrecorded: calls - receipts };
  }
  const began = performance.now();
  const { answered, receipts } = await callsInFlight({ ping: call }, width, calls);
  const perSecond = answered / ((performance.now() - began) / 1000);
  return { speed: perSecond, processor: processor() / answered, unrecorded: answered - receipts };
};

/**
 * The servers of one kind of traffic, started in its first round, and what a round gives for each of them.
 * @param {Traffic} traffic @param {Size} size @param {string} [against]
 */
const aliveTraffic = ({ isOwn, width, ways }, { warmUp, calls, bursts }, against) => {
  const reach = isOwn ? /** @type {typeof withTool} */ (withOwnTool) : withTool;
  const startFor = (/** @type {Way} */ way) => (/** @type {(reached: Reached) => Promise<void>} */ use) =>
    way === 'other' ? inBuild(against ?? '', () => reach('ours', use)) : reach(way, use);

  /** @type {{ way: Way, end: () => Promise<void>, reached?: Reached, missing?: Unavailable }[]} */
  let servers = [];
  const start = async () => {
    for (const way of against === undefined ? ways : /** @type {const} */ (['ours', 'other'])) {
      const { it, end } = kept(startFor(way));
      const server = { way, end };
      servers.push(server);
      try {
        Object.assign(server, { reached: await it });
      } catch (thrown) {
        if (!(thrown instanceof Unavailable)) throw thrown;
        Object.assign(server, { missing: thrown });
      }
    }
    for (const { reached } of servers) if (reached) await burst(reached, width, warmUp);
  };

  const measure = remembered(async (round) => {
    if (servers.length === 0) await start();
    const there = servers.flatMap(({ way, reached }) => (reached === undefined ? [] : [{ way, reached }]));
    const turns = there.map(
      ({ reached }) =>
        () =>
          burst(reached, width, calls),
    );
    const seen = await takingTurns(turns, { calls: bursts, first: round });
    return new Map(
      servers.map(({ way, missing }) => [
        way,
        missing ?? seen[there.findIndex((one) => one.way === way)]?.answers ?? [],
      ]),
    );
  });
  const end = async () => {
    await Promise.all(servers.map((server) => server.end()));
    servers = [];
  };
  return { measure, end };
};

/** @param {boolean} quick @param {number} width @returns {Size} */
const sizeFor = (quick, width) => {
  if (width === 1) return quick ? { warmUp: 150, calls: 60, bursts: 3 } : { warmUp: 500, calls: 150, bursts: 8 };
  return quick ? { warmUp: 1_000, calls: 400, bursts: 3 } : { warmUp: 4_000, calls: 1_000, bursts: 8 };
};

/** @param {boolean} quick @param {string} [against] folder of another build @returns {import('../rounds.mjs').Row[]} */
export const allAliveRows = (quick, against) => {
  const traffic = new Map(
    Object.entries(TRAFFIC).map(([name, one]) => [name, aliveTraffic(one, sizeFor(quick, one.width), against)]),
  );
  return ROWS.map(({ id, traffic: name, of, reference, name: title }) => {
    const inFlight = TRAFFIC[name]?.width !== 1 && of === 'speed';
    return {
      id,
      name: against === undefined ? title : title.replace(/ ÷ .*/, ' ÷ the other build'),
      unit: inFlight ? 'calls/s' : 'µs',
      judged: 'ratio',
      better: inFlight ? '>=' : '<=',
      end: async () => traffic.get(name)?.end(),
      measure: async (round) => {
        if (of === 'processor') demandProcessorTime();
        const seen = await traffic.get(name)?.measure(round);
        const figure = (/** @type {Way} */ way, /** @type {'speed' | 'processor' | 'unrecorded'} */ what) => {
          const bursts = seen?.get(way);
          if (bursts instanceof Unavailable) throw bursts;
          return median((bursts ?? []).map((one) => one[what]));
        };
        const unrecorded = figure('ours', 'unrecorded');
        return {
          ours: figure('ours', of),
          reference: figure(against === undefined ? reference : 'other', of),
          notes: unrecorded > 0 ? [`${unrecorded} replies of a burst had no receipt`] : [],
        };
      },
    };
  });
};
