// Calls in flight: a caller that gets its answer sends the next call at once. Or one call after the other, in turns.
import { median, quantile } from './rounds.mjs';
import { hasReceipt } from './servers.mjs';

const WARM_UP_CALLS = 500;
/** After this no new turn begins: a call that takes a second needs no thousand of them. */
const TURNS_MS = 10_000;

/**
 * Keeps `width` calls in flight for as long as `goesOn` says so.
 * @param {{ ping(): Promise<any> }} client
 * @param {number} width
 * @param {() => boolean} goesOn
 */
const keepInFlight = async (client, width, goesOn) => {
  let answered = 0;
  let receipts = 0;
  const caller = async () => {
    while (goesOn()) {
      const result = await client.ping();
      answered += 1;
      if (hasReceipt(result)) receipts += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, caller));
  return { answered, receipts };
};

/** @param {{ ping(): Promise<any> }} client @param {number} width @param {number} calls */
export const callsInFlight = (client, width, calls) => {
  let left = calls;
  return keepInFlight(client, width, () => left-- > 0);
};

/** @param {{ ping(): Promise<any> }} client @param {number} width @param {number} ms */
export const callsFor = (client, width, ms) => {
  const deadline = performance.now() + ms;
  return keepInFlight(client, width, () => performance.now() < deadline);
};

/**
 * Calls a second, and how much of one processor this process used to make them: near 1 it is the client that is
 * measured.
 * @param {{ ping(): Promise<any> }} client @param {number} width @param {number} calls
 */
export const rateOf = async (client, width, calls) => {
  await callsInFlight(client, width, Math.min(calls, WARM_UP_CALLS));
  const usedBefore = process.cpuUsage();
  const began = performance.now();
  const { answered, receipts } = await callsInFlight(client, width, calls);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(usedBefore);
  return {
    perSecond: (answered / ms) * 1000,
    unrecorded: answered - receipts,
    clientBusy: (user + system) / 1000 / ms,
  };
};

/** How many calls make a p50 of a server that was just started. @param {boolean} quick */
export const sizeOf = (quick) => (quick ? { warmUp: 100, calls: 300 } : { warmUp: 300, calls: 1_500 });

/**
 * One call after the other.
 * @template T
 * @param {(i: number) => Promise<T>} call
 * @param {number} calls
 */
export const oneByOne = async (call, calls) => {
  const timesUs = /** @type {number[]} */ ([]);
  const answers = /** @type {T[]} */ ([]);
  for (let i = 0; i < calls; i++) {
    const began = performance.now();
    const answer = await call(i);
    timesUs.push((performance.now() - began) * 1000);
    answers.push(answer);
  }
  return { timesUs, answers };
};

/**
 * Calls the sides in turns, one call at a time, so that whatever the machine does meanwhile hits all of them.
 * @template T
 * @param {readonly ((i: number) => Promise<T>)[]} sides
 * @param {{ calls: number, first: number }} plan calls of each side, fewer where they take too long; who begins, which
 *   changes with every turn
 */
export const takingTurns = async (sides, { calls, first }) => {
  const seen = sides.map(() => ({ timesUs: /** @type {number[]} */ ([]), answers: /** @type {T[]} */ ([]) }));
  const deadline = performance.now() + TURNS_MS;
  for (let i = 0; i < calls && performance.now() < deadline; i++) {
    for (let k = 0; k < sides.length; k++) {
      const side = (first + i + k) % sides.length;
      const began = performance.now();
      const answer = await sides[side]?.(i);
      seen[side]?.timesUs.push((performance.now() - began) * 1000);
      seen[side]?.answers.push(/** @type {T} */ (answer));
    }
  }
  return seen;
};

/** @param {readonly number[]} timesUs */
export const statsOf = (timesUs) => ({
  calls: timesUs.length,
  p50Us: median(timesUs),
  p90Us: quantile(timesUs, 0.9),
  p99Us: quantile(timesUs, 0.99),
});
