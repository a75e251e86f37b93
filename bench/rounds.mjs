// Rounds and what is made of them. Two sides are never measured in two blocks: the machine changes in between.
import { buildFolder, inBuild } from './builds.mjs';

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
 * @returns {Pick<Row, 'measure' | 'ours'>}
 */
export const alternating = (ours, reference) => ({
  ours,
  measure: async (round) => {
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
  },
});

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} name
 * @property {string} unit
 * @property {'ratio' | 'ours'} judged which number its goal is about
 * @property {'<=' | '>='} better
 * @property {(round: number) => Promise<Pair>} measure
 * @property {() => Promise<Side>} [ours] our side alone, where it can be had
 * @property {boolean} [isOneBuild] another build cannot be the reference: there is no server of ours on one of its sides
 * @property {() => Promise<void>} [end] after its last round
 * @property {(pairs: readonly Pair[]) => string} [remark] printed under the table
 */

/** Rows that share a measurement take it together: once a round, and once for each build. @template T @param {(round: number) => Promise<T>} measure */
export const remembered = (measure) => {
  /** @type {Map<string, Promise<T>>} */
  const seen = new Map();
  return (/** @type {number} */ round) => {
    const key = `${round} ${buildFolder()}`;
    const taken = seen.get(key) ?? measure(round);
    seen.set(key, taken);
    return taken;
  };
};

/** The row with another build in the place of its reference. @param {Row} row @param {string} folder @returns {Row} */
export const againstBuild = (row, folder) => {
  const side = (/** @type {number} */ round) => async () => {
    if (row.ours !== undefined) return row.ours();
    const { ours, details, notes } = await row.measure(round);
    return { value: ours, details, notes };
  };
  return {
    id: row.id,
    name: `${row.name.replace(/,? ÷ .*|, control .*/, '')}, ÷ the other build`,
    unit: row.unit,
    judged: 'ratio',
    better: row.better,
    measure: (round) => alternating(side(round), () => inBuild(folder, side(round))).measure(round),
  };
};

/** @typedef {{ median: number, min: number, max: number }} Spread */

/** @param {readonly number[]} values @returns {Spread} */
const spreadOf = (values) => ({ median: median(values), min: Math.min(...values), max: Math.max(...values) });

/** @param {Row} row @param {readonly Pair[]} pairs @param {number} [goal] */
export const summarize = (row, pairs, goal) => {
  const ours = spreadOf(pairs.map((pair) => pair.ours));
  const reference = spreadOf(pairs.map((pair) => pair.reference));
  const ratio = spreadOf(pairs.map((pair) => pair.ours / pair.reference));
  const value = (row.judged === 'ratio' ? ratio : ours).median;
  return {
    ours,
    reference,
    ratio,
    met: goal === undefined ? undefined : row.better === '<=' ? value <= goal : value >= goal,
    notes: [...(row.remark ? [row.remark(pairs)] : []), ...new Set(pairs.flatMap((pair) => pair.notes ?? []))],
    rounds: pairs,
  };
};
