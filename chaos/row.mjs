// The figures of one disturbance, and what in them must not be.
import { detection, endings, latency, reachedIneligible, twice } from './judge.mjs';

/** @typedef {import('./judge.mjs').Call} Call */
/** @typedef {ReturnType<typeof rowOf>} Row */

/** Not a word of the server itself: Colibri let this caller down. */
const LET_DOWN = new Set(['refused', 'hung', 'gone']);

/**
 * What of a run must hold wherever one looks. `null`: this server does not count what reaches it.
 * @param {string} server
 * @param {{ calls: readonly Call[], health: import('./health-log.mjs').HealthLog, arrivalsOf: import('./disturb.mjs').Cast['arrivalsOf'] }} seen
 */
export const invariantsOf = (server, { calls, health, arrivalsOf }) => {
  const own = calls.filter((call) => call.server === server);
  const arrivals = arrivalsOf(server);
  const isOwn = new Set(own.map(({ key }) => key));
  const counted = arrivals?.filter(({ key }) => isOwn.has(key));
  return {
    hung: own.filter(({ how }) => how === 'hung').length,
    ineligible: counted === undefined ? null : reachedIneligible(own, counted, health.of(server, 0)).length,
    twice: counted === undefined ? null : twice(counted).length,
  };
};

/** @param {import('./disturb.mjs').Course} course @param {ReturnType<typeof detection>} seen */
const missedExpectations = ({ disturbance, wellAt }, { seenAt, seenBy, outAt }) => {
  const { expects } = disturbance;
  return [
    ...(expects === 'out' && outAt === undefined ? ['it went on getting calls'] : []),
    ...(expects === 'seen' && seenAt === undefined ? ['nobody was told'] : []),
    ...(expects === 'nothing' && seenAt !== undefined ? [`it should have passed unnoticed: ${seenBy}`] : []),
    ...(wellAt === undefined ? ['it was not well again in time'] : []),
  ];
};

/** @param {ReturnType<typeof invariantsOf>} invariants */
export const brokenInvariants = ({ hung, ineligible, twice: repeated }) => [
  ...(hung > 0 ? [`${hung} calls hung`] : []),
  ...((ineligible ?? 0) > 0 ? [`${ineligible} calls reached a server that may get none`] : []),
  ...((repeated ?? 0) > 0 ? [`${repeated} effects happened twice`] : []),
];

/**
 * @param {import('./disturb.mjs').Course} course
 * @param {{ calls: readonly Call[], health: import('./health-log.mjs').HealthLog, arrivalsOf: import('./disturb.mjs').Cast['arrivalsOf'] }} seen
 */
export const rowOf = (course, { calls, health, arrivalsOf }) => {
  const { disturbance, from, began, ended, wellAt, until } = course;
  const { id, server, done, expects } = disturbance;
  const inWindow = calls.filter((call) => call.began >= from && call.began <= until);
  const [own, others] = [
    inWindow.filter((call) => call.server === server),
    inWindow.filter((call) => call.server !== server),
  ];
  const during = own.filter((call) => call.ended >= began);
  const transitions = health.of(server, began).filter(({ at }) => at <= until);
  const found = detection(during, transitions, began);
  const invariants = invariantsOf(server, { calls: own, health, arrivalsOf });
  const meanwhile = others.filter((call) => call.began >= began);
  const letDown = meanwhile.filter(({ how }) => LET_DOWN.has(how));
  const after = (/** @type {number | undefined} */ at, /** @type {number} */ since) =>
    at === undefined ? null : Math.max(0, at - since);
  return {
    id,
    server,
    done,
    expects,
    detectionMs: after(found.seenAt, began),
    detectedBy: found.seenBy ?? null,
    outMs: after(found.outAt, began),
    outBy: found.outBy ?? null,
    recoveryMs: after(wellAt, ended),
    others: {
      before: latency(others.filter((call) => call.began < began)),
      meanwhile: latency(meanwhile),
      letDown: endings(letDown),
    },
    longestCallMs: latency(during).worstMs,
    calls: endings(during),
    ...invariants,
    transitions,
    faults: [
      ...missedExpectations(course, found),
      ...brokenInvariants(invariants),
      ...(letDown.length > 0 ? [`${letDown.length} calls to other servers failed`] : []),
    ],
  };
};
