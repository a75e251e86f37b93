// Measures rows round by round.
import { GOALS, GOALS_AGAINST } from './goals.mjs';
import { summarize, Unavailable } from './rounds.mjs';

/**
 * @typedef {object} Report
 * @property {import('./rounds.mjs').Row} row
 * @property {number} [goal]
 * @property {ReturnType<typeof summarize>} [summary]
 * @property {string} [unmeasured] why there are no numbers
 * @property {boolean} [broken]
 */

/** @param {import('./rounds.mjs').Row} row @param {number} rounds @param {number | undefined} goal @returns {Promise<Report>} */
const measureRow = async (row, rounds, goal) => {
  const pairs = [];
  try {
    for (let round = 0; round < rounds; round++) {
      console.error(`${row.id}: round ${round + 1} of ${rounds}`);
      pairs.push(await row.measure(round));
    }
    return { row, goal, summary: summarize(row, pairs, goal) };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof Unavailable) return { row, goal, unmeasured: `not measured: ${why}` };
    console.error(`bench: ${row.id} broke: ${why}`);
    return { row, goal, unmeasured: `broke: ${why.split('\n')[0]}`, broken: true };
  } finally {
    await row.end?.();
  }
};

/** @param {readonly import('./rounds.mjs').Row[]} rows @param {{ rounds: number, against?: string | undefined }} how */
export const measureRows = async (rows, { rounds, against }) => {
  const goals = against === undefined ? GOALS : GOALS_AGAINST;
  /** @type {Report[]} */
  const reports = [];
  for (const row of rows) reports.push(await measureRow(row, rounds, goals[row.id]));
  return reports;
};

/** What a file keeps of them. @param {readonly Report[]} reports */
export const resultsOf = (reports) =>
  reports.map(({ row: { id, name, unit, judged, better }, ...rest }) => ({ id, name, unit, judged, better, ...rest }));
