// One disturbance from its beginning to the recovery, under traffic.
import { setTimeout as sleep } from 'node:timers/promises';
import { detection, recovery } from './judge.mjs';

/** Traffic that is measured before each disturbance. */
const BEFORE_MS = 2_000;
/** How long it may take until a sickness is seen, and until a server is well again, before the run calls it a fault. */
const SEEN_MS = 90_000;
const WELL_MS = 150_000;
/** How long servers may take to start for the first time, and then those that failed to try again and all to answer. */
const READY_MS = 90_000;
const RETRY_MS = 15_000;
const LOOK_MS = 40;
/** How long a disturbance goes on after it was seen: what callers get then is part of what is looked at. */
const HOLD_MS = 1_500;
/** Where nothing is expected, so many calls must have passed meanwhile. */
const UNHARMED_CALLS = 40;

/**
 * `out`: the server gets no calls any more; `seen`: callers are told, the server stays; `nothing`: nobody may notice.
 * @typedef {'out' | 'seen' | 'nothing'} Expectation
 */

/**
 * @typedef {object} Disturbance
 * @property {string} id
 * @property {string} server
 * @property {string} done what is done to it, in words
 * @property {Expectation} expects
 * @property {boolean} [atOnce] it is over as soon as it was done
 * @property {(world: World) => unknown} begin
 * @property {(world: World) => unknown} end
 */

/**
 * Whom a run is about.
 * @typedef {object} Cast
 * @property {any} board the switchboard file's content
 * @property {(server: string) => readonly import('./traffic.mjs').Tool[]} toolsOf
 * @property {() => readonly Disturbance[]} disturbances
 * @property {(server: string) => readonly import('./judge.mjs').Arrival[] | undefined} arrivalsOf undefined: it does not count
 * @property {() => Promise<unknown>} stop
 */

/**
 * What a disturbance may touch.
 * @typedef {object} World
 * @property {string} folder
 * @property {(server: string, signal: NodeJS.Signals, isLenient?: boolean) => number | undefined} signal to its process group,
 *   which is returned; lenient: it may have none just now
 * @property {(group: number | undefined, signal: NodeJS.Signals) => void} signalGroup
 * @property {(edit: (board: any) => void) => void} change edits the copy of the switchboard file
 * @property {(server: string) => string | null} stateOf
 * @property {AbortSignal} over
 */

/**
 * @typedef {object} Scene
 * @property {World} world
 * @property {import('./traffic.mjs').Traffic} traffic
 * @property {import('./health-log.mjs').HealthLog} health
 * @property {{ usual: number, target: number }} callers
 * @property {(text: string) => void} say
 * @property {(server: string) => boolean} isCalled
 */

/**
 * When things happened; the judge makes figures of it.
 * @typedef {object} Course
 * @property {Disturbance} disturbance
 * @property {number} from traffic before
 * @property {number} began
 * @property {number} ended of the disturbance itself
 * @property {number | undefined} wellAt
 * @property {number} until
 */

/** Looks again and again; false when it never came. @param {Scene} scene @param {() => boolean} seen @param {number} patienceMs */
const until = async ({ health, world }, seen, patienceMs) => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    world.over.throwIfAborted();
    health.look();
    if (seen()) return true;
    if (performance.now() > deadline) return false;
    await sleep(LOOK_MS, undefined, { signal: world.over });
  }
};

/** Has what is expected been seen? @param {Scene} scene @param {Disturbance} disturbance @param {number} since */
const isSeen = ({ traffic, health, isCalled }, { server, expects }, since) => {
  const calls = traffic.calls.filter((call) => call.server === server && call.ended >= since);
  if (expects === 'nothing') return calls.length >= UNHARMED_CALLS;
  const { seenAt, outAt } = detection(calls, health.of(server, since), since);
  if (expects === 'seen') return seenAt !== undefined;
  // Once it is out, callers must be refused: that is part of what is looked at.
  const refused = calls.some(({ how, began }) => how === 'refused' && outAt !== undefined && began >= outAt);
  return outAt !== undefined && (refused || !isCalled(server));
};

/** @param {Disturbance} disturbance @param {Scene} scene @returns {Promise<Course>} */
export const disturb = async (disturbance, scene) => {
  const { server, id, done } = disturbance;
  const { traffic, health, world, callers, say, isCalled } = scene;
  const from = Date.now();
  traffic.set(server, callers.target);
  await sleep(BEFORE_MS, undefined, { signal: world.over });
  const began = Date.now();
  say(`${id} (${server}): ${done}`);
  await disturbance.begin(world);
  try {
    await until(scene, () => isSeen(scene, disturbance, began), SEEN_MS);
    await sleep(HOLD_MS, undefined, { signal: world.over });
  } finally {
    say(`${id} (${server}): over, waiting until it is well`);
    await disturbance.end(world);
  }
  const ended = disturbance.atOnce === true ? began : Date.now();
  const wellAt = () => {
    const calls = traffic.calls.filter((call) => call.server === server);
    return recovery(calls, health.of(server, 0), { since: ended, isCalled: isCalled(server) });
  };
  await until(scene, () => wellAt() !== undefined, WELL_MS);
  traffic.set(server, callers.usual);
  return { disturbance, from, began, ended, wellAt: wellAt(), until: Date.now() };
};

/**
 * Waits until all are HEALTHY and answer; returns those that are. One that could not be started is not waited for as long as
 * one that is starting.
 * @param {Scene} scene @param {readonly string[]} servers
 */
export const untilReady = async (scene, servers) => {
  const { traffic, health, isCalled } = scene;
  const answered = (/** @type {string} */ server) =>
    !isCalled(server) || traffic.calls.some((call) => call.server === server && call.how === 'ok');
  const isReady = (/** @type {string} */ server) => health.stateOf(server) === 'HEALTHY' && answered(server);
  await until(scene, () => servers.every((server) => health.stateOf(server) !== 'STARTING'), READY_MS);
  await until(scene, () => servers.every((server) => isReady(server) || health.isHeld(server)), RETRY_MS);
  return servers.filter(isReady);
};
