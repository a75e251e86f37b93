// The figures that later runs are compared with: bench/committed.json, and docs/benchmarks.md, which is written from it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { benchmarksPage } from './page.mjs';
import { withPostgresFigures } from './postgres/page.mjs';

const FIGURES = new URL('committed.json', import.meta.url);
const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const TEAM_PAGE = new URL('../docs/postgres.md', import.meta.url);
const DIGITS = 4;

/** @typedef {{ median: number, min: number, max: number }} Spread */

/**
 * @typedef {object} CommittedRow
 * @property {string} id
 * @property {string} name
 * @property {string} unit
 * @property {'ratio' | 'ours'} judged
 * @property {'<=' | '>='} better
 * @property {number} [goal]
 * @property {Spread} [ours]
 * @property {Spread} [reference]
 * @property {Spread} [ratio]
 * @property {boolean} [met]
 * @property {string} [unmeasured]
 * @property {number} [quick] the ratio of a quick run
 * @property {Occasion} [apart] when it was measured, if not with the others
 */

/**
 * @typedef {object} Occasion
 * @property {string} date
 * @property {number} rounds
 * @property {number[]} load averages over a minute, before and after
 */

/**
 * @typedef {object} Committed
 * @property {string} date
 * @property {number} rounds
 * @property {{ platform: string, cpu: string, cores: number, memoryMb: number, load: number[] }} machine load averages over a minute, before and after
 * @property {Record<string, string>} versions
 * @property {CommittedRow[]} rows
 */

/** @param {number} value */
const short = (value) => Number(value.toPrecision(DIGITS));

/** @param {Spread} spread @returns {Spread} */
const shortSpread = ({ median, min, max }) => ({ median: short(median), min: short(min), max: short(max) });

/**
 * @param {{ begun: string, rounds: number, machine: any, versions: Record<string, string> }} facts
 * @param {readonly import('./measure.mjs').Report[]} reports
 * @param {readonly import('./measure.mjs').Report[]} quick
 * @returns {Committed}
 */
export const committedOf = ({ begun, rounds, machine, versions }, reports, quick) => ({
  date: begun.slice(0, 10),
  rounds,
  machine: {
    platform: machine.platform,
    cpu: machine.cpu,
    cores: machine.cores,
    memoryMb: machine.memoryMb,
    load: [machine.loadBefore[0], machine.loadAfter[0]],
  },
  versions,
  rows: reports.map(({ row: { id, name, unit, judged, better }, goal, summary, unmeasured }) => {
    const again = quick.find(({ row }) => row.id === id)?.summary;
    return {
      id,
      name,
      unit,
      judged,
      better,
      ...(goal !== undefined && { goal }),
      ...(summary && {
        ours: shortSpread(summary.ours),
        reference: shortSpread(summary.reference),
        ratio: shortSpread(summary.ratio),
        ...(summary.met !== undefined && { met: summary.met }),
      }),
      ...(unmeasured !== undefined && { unmeasured }),
      ...(again && { quick: short(again.ratio.median) }),
    };
  }),
});

/**
 * Committed figures with some rows measured again, or for the first time; they say when, because it was not with the others.
 * @param {Committed} before @param {Committed} fresh @param {readonly string[]} order the ids of all rows
 * @returns {Committed}
 */
export const withRows = (before, fresh, order) => {
  const apart = { date: fresh.date, rounds: fresh.rounds, load: fresh.machine.load };
  const rows = new Map([...before.rows, ...fresh.rows.map((row) => ({ ...row, apart }))].map((row) => [row.id, row]));
  return { ...before, rows: order.flatMap((id) => rows.get(id) ?? []) };
};

/** @returns {Committed} */
export const readCommitted = () => JSON.parse(readFileSync(FIGURES, 'utf8'));

/** @param {Committed} committed */
const writePages = (committed) => {
  writeFileSync(PAGE, benchmarksPage(committed));
  writeFileSync(TEAM_PAGE, withPostgresFigures(readFileSync(TEAM_PAGE, 'utf8'), committed));
};

/** @param {Committed} committed @returns {string[]} the files */
export const writeCommitted = (committed) => {
  writeFileSync(FIGURES, `${JSON.stringify(committed, null, 2)}\n`);
  writePages(committed);
  return [FIGURES, PAGE, TEAM_PAGE].map((file) => fileURLToPath(file));
};

/**
 * How much of its committed speed a row has lost, as a share: 0.5 is half as fast, below 0 is faster. Ratios are compared, also of the rows
 * that are judged by milliseconds: those say more about the machine than about us.
 * @param {CommittedRow} row @param {number} ratio of a quick run
 */
export const lostShare = ({ better, quick }, ratio) => {
  if (quick === undefined) return 0;
  return better === '>=' ? 1 - ratio / quick : 1 - quick / ratio;
};

/** A row that lost more than this is named; one that lost more than the other in every run is a failure. */
export const NAMED_LOSS = 0.4;
export const WORST_LOSS = 0.5;
const RUNS = 3;

/** @typedef {{ id: string, lost: number }} Loss */

/**
 * The rows that are behind by more than `WORST_LOSS` in three runs in a row. It measures again only while there are any, and only those.
 * @param {readonly CommittedRow[]} rows
 * @param {(only: readonly string[]) => Promise<ReadonlyMap<string, number>>} quickRun the ratios of these rows; none named: of all
 * @param {(losses: readonly Loss[], run: number) => void} tell
 * @returns {Promise<readonly Loss[]>}
 */
export const lastingLosses = async (rows, quickRun, tell) => {
  /** @type {readonly Loss[]} */
  let worst = [];
  for (let run = 1; run <= RUNS; run++) {
    const ratios = await quickRun(worst.map(({ id }) => id));
    const losses = rows.flatMap((row) => {
      const ratio = ratios.get(row.id);
      return ratio === undefined ? [] : [{ id: row.id, lost: lostShare(row, ratio) }];
    });
    tell(
      losses.filter(({ lost }) => lost > NAMED_LOSS),
      run,
    );
    worst = losses.filter(({ lost }) => lost > WORST_LOSS);
    if (worst.length === 0) break;
  }
  return worst;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages(readCommitted());
