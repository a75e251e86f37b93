// Configured times made shorter, so that a run takes minutes and not hours. Pure. What is shortened is the time between
// things and the patience with calls; what a server needs to start stays as it is, because a machine does not get faster.

/** Not below what the switchboard file allows, nor so short that a busy machine looks like a sick server. */
const FLOOR_MS = { interval: 1_000, checkTimeout: 2_000, callTimeout: 2_000, cooldown: 2_000, window: 10_000 };

/** @param {number} ms @param {number} scale @param {number} floor */
const shorter = (ms, scale, floor) => Math.min(ms, Math.max(floor, Math.round(ms / scale)));

/** @typedef {{ intervalMs: number, timeoutMs: number }} Check */

/** @template {Check} C @param {C} check @param {number} scale @returns {C} */
const scaledCheck = (check, scale) => ({
  ...check,
  intervalMs: shorter(check.intervalMs, scale, FLOOR_MS.interval),
  timeoutMs: shorter(check.timeoutMs, scale, FLOOR_MS.checkTimeout),
});

/**
 * @param {import('../build/switchboard/config/config.js').HealthSettings} health
 * @param {number} scale
 */
export const scaledHealth = (health, scale) => {
  const { liveness, readiness, capability, cooldownMs, cooldownMaxMs, stabilityWindowMs, ...rest } = health;
  const cooldown = shorter(cooldownMs, scale, FLOOR_MS.cooldown);
  const { declaredReadOnly: _, ...check } = capability ?? {};
  return {
    ...rest,
    liveness: scaledCheck(liveness, scale),
    readiness: scaledCheck(readiness, scale),
    ...(capability !== null && { capability: scaledCheck(/** @type {typeof capability} */ (check), scale) }),
    cooldownMs: cooldown,
    cooldownMaxMs: Math.max(cooldown, shorter(cooldownMaxMs, scale, FLOOR_MS.cooldown)),
    stabilityWindowMs: shorter(stabilityWindowMs, scale, FLOOR_MS.window),
  };
};

/** @param {number} timeoutMs @param {number} scale */
export const scaledTimeout = (timeoutMs, scale) => shorter(timeoutMs, scale, FLOOR_MS.callTimeout);

const seconds = (/** @type {number} */ ms) => `${Number((ms / 1_000).toPrecision(3))} s`;

/**
 * For people: what was made of the times of one server.
 * @param {import('../build/switchboard/config/config.js').ServerConfig} server @param {number} scale
 */
export const scaleText = ({ health, timeoutMs }, scale) => {
  const after = scaledHealth(health, scale);
  const pairs = [
    ['liveness every', health.liveness.intervalMs, after.liveness.intervalMs],
    ['readiness every', health.readiness.intervalMs, after.readiness.intervalMs],
    ['a call may be silent for', timeoutMs, scaledTimeout(timeoutMs, scale)],
    ['first quarantine', health.cooldownMs, after.cooldownMs],
    ['stability window', health.stabilityWindowMs, after.stabilityWindowMs],
  ];
  return pairs
    .map(([what, from, to]) => `${what} ${seconds(Number(to))} instead of ${seconds(Number(from))}`)
    .join(', ');
};
