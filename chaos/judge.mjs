// What was seen, judged. Pure: calls, arrivals at the servers and recorded transitions in, figures and faults out.
import { quantile } from '../bench/rounds.mjs';

/**
 * @typedef {import('./traffic.mjs').Call} Call
 * @typedef {import('./health-log.mjs').Transition} Transition
 * @typedef {{ key: string, at: number }} Arrival
 */

/** Refusals that say of themselves that nothing was sent. */
const UNSENT = new Set(['TOOL_UNAVAILABLE', 'TOOL_BUSY']);

/** Stretches of one server's life: which state from when to when. @param {readonly Transition[]} transitions */
const stretches = (transitions) =>
  transitions.map(({ to, at }, i) => ({ state: to, from: at, to: transitions[i + 1]?.at ?? Number.POSITIVE_INFINITY }));

/** @param {Iterable<Arrival>} arrivals @returns {Map<string, number[]>} */
const byKey = (arrivals) => {
  const found = new Map();
  for (const { key, at } of arrivals) found.set(key, [...(found.get(key) ?? []), at]);
  return found;
};

/**
 * Calls of one server that reached it although they must not have. A call that began after the server had become
 * ineligible and arrived before it was eligible again; one that was refused as never sent and arrived all the same; more
 * than one while the server was tried with a single request. Calls sent just before a transition arrive after it, so the
 * moment of arrival alone says nothing.
 * @param {readonly Call[]} calls @param {readonly Arrival[]} arrivals @param {readonly Transition[]} transitions
 * @returns {string[]} their keys
 */
export const reachedIneligible = (calls, arrivals, transitions) => {
  const arrived = byKey(arrivals);
  const wrong = new Set();
  for (const call of calls) {
    if (call.how === 'refused' && UNSENT.has(call.code ?? '') && arrived.has(call.key)) wrong.add(call.key);
  }
  for (const { state, from, to } of stretches(transitions)) {
    if (state === 'HEALTHY' || state === null) continue;
    const inside = calls.filter(
      ({ key, began }) => began > from && began < to && arrived.get(key)?.some((at) => at < to),
    );
    for (const { key } of state === 'PROBATION' ? inside.slice(1) : inside) wrong.add(key);
  }
  return [...wrong];
};

/** Effects that happened more than once. @param {readonly Arrival[]} arrivals */
export const twice = (arrivals) => [...byKey(arrivals)].filter(([, times]) => times.length > 1).map(([key]) => key);

/** @param {readonly Call[]} calls */
export const latency = (calls) => {
  const times = calls.map(({ ms }) => ms);
  const round = (/** @type {number} */ ms) => Number(ms.toFixed(1));
  return times.length === 0
    ? { calls: 0, p50Ms: null, worstMs: null }
    : { calls: times.length, p50Ms: round(quantile(times, 0.5)), worstMs: round(Math.max(...times)) };
};

/** How calls ended, counted. @param {readonly Call[]} calls @returns {Record<string, number>} */
export const endings = (calls) => {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { how, code } of calls) {
    const name = code === undefined ? how : `${how} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

const OUT = new Set(['UNHEALTHY', 'QUARANTINE']);

/**
 * When a disturbance that began at `since` was first seen: by a caller that did not get what it asked for, or by a state.
 * @param {readonly Call[]} calls of the server @param {readonly Transition[]} transitions of the server @param {number} since
 */
export const detection = (calls, transitions, since) => {
  const bad = calls.filter(({ how, ended }) => how !== 'ok' && ended >= since);
  const call = bad.reduce((/** @type {Call | undefined} */ first, one) => {
    return first === undefined || one.ended < first.ended ? one : first;
  }, undefined);
  const state = transitions.find(({ at, to }) => at >= since && to !== 'HEALTHY');
  const out = transitions.find(({ at, to }) => at >= since && to !== null && OUT.has(to));
  const seen = [
    ...(state === undefined ? [] : [{ at: state.at, by: String(state.to) }]),
    ...(call === undefined ? [] : [{ at: call.ended, by: call.code ?? call.how }]),
  ].sort((a, b) => a.at - b.at)[0];
  return { seenAt: seen?.at, seenBy: seen?.by, outAt: out?.at, outBy: out === undefined ? undefined : out.cause };
};

/**
 * When the server was well again after `since`: HEALTHY, and a call that began after both was answered. Undefined: not yet.
 * `isCalled`: without calls the state alone must do.
 * @param {readonly Call[]} calls @param {readonly Transition[]} transitions @param {{ since: number, isCalled: boolean }} how
 */
export const recovery = (calls, transitions, { since, isCalled }) => {
  const last = transitions.at(-1);
  if (last !== undefined && last.to !== 'HEALTHY') return undefined;
  const healthyAt = Math.max(since, last?.at ?? since);
  if (!isCalled) return healthyAt;
  const good = calls.filter(({ how, began }) => how === 'ok' && began >= healthyAt).map(({ ended }) => ended);
  return good.length === 0 ? undefined : Math.min(...good);
};
