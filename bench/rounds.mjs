// Rounds and what is made of them. Two sides are never measured in two blocks: the machine changes in between.

/** Something this machine cannot measure: the row says why, and nothing has failed. */
export class Unavailable extends Error {}

/** @param {readonly number[]} values @param {number} share between 0 and 1 */
export const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
};

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * What one round of a row gives.
 * @typedef {object} Pair
 * @property {number} ours
 * @property {number} reference
 * @property {Record<string, unknown>} [details] goes into the JSON as it is
 * @property {string[]} [notes] printed under the table
 */

/**
 * One measurement of one side.
 * @typedef {{ value: number, details?: Record<string, unknown>, notes?: string[] }} Side
 */

/**
 * A round of two sides measured one after the other; who goes first changes with every round.
 * @param {() => Promise<Side>} ours
 * @param {() => Promise<Side>} reference
 * @returns {(round: number) => Promise<Pair>}
 */
export const alternating = (ours, reference) => async (round) => {
  const oursFirst = round % 2 === 0;
  const first = await (oursFirst ? ours : reference)();
  const second = await (oursFirst ? reference : ours)();
  const [a, b] = oursFirst ? [first, second] : [second, first];
  return {
    ours: a.value,
    reference: b.value,
    details: { ours: a.details, reference: b.details },
    notes: [...(a.notes ?? []), ...(b.notes ?? [])],
  };
};

/**
 * A goal: `now` is what must hold at this stage, `design` what the product is built for; none of either: to be known.
 * @typedef {object} Row
 * @property {string} id
 * @property {string} name
 * @property {string} unit
 * @property {'ratio' | 'ours'} judged which number the goals are about
 * @property {'<=' | '>='} better
 * @property {{ now?: number, design?: number }} goals
 * @property {(round: number) => Promise<Pair>} measure
 * @property {(pairs: readonly Pair[]) => string} [remark] printed under the table
 */

/** @typedef {{ median: number, min: number, max: number }} Spread */

/** @param {readonly number[]} values @returns {Spread} */
const spreadOf = (values) => ({ median: median(values), min: Math.min(...values), max: Math.max(...values) });

/** @param {Row} row @param {number} value @param {number | undefined} goal */
const meets = (row, value, goal) =>
  goal === undefined ? undefined : row.better === '<=' ? value <= goal : value >= goal;

/** @param {Row} row @param {readonly Pair[]} pairs */
export const summarize = (row, pairs) => {
  const ours = spreadOf(pairs.map((pair) => pair.ours));
  const reference = spreadOf(pairs.map((pair) => pair.reference));
  const ratio = spreadOf(pairs.map((pair) => pair.ours / pair.reference));
  const value = (row.judged === 'ratio' ? ratio : ours).median;
  return {
    ours,
    reference,
    ratio,
    met: { now: meets(row, value, row.goals.now), design: meets(row, value, row.goals.design) },
    notes: [...(row.remark ? [row.remark(pairs)] : []), ...new Set(pairs.flatMap((pair) => pair.notes ?? []))],
    rounds: pairs,
  };
};
