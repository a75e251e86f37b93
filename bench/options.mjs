// The options of `npm run bench`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allRows } from './all-rows.mjs';
import { mainIn } from './builds.mjs';

const USAGE = `npm run bench                 all rows, five rounds, about ten minutes
npm run bench -- --quick      two short rounds: does it run at all
npm run bench -- --only ping --rounds 9
npm run bench -- --against ../before --only crowd-4-calls
npm run bench -- --strict     exit code 1 on a missed goal
npm run bench -- --commit     all rows, then bench/committed.json and docs/benchmarks.md are written;
                              with --only: these rows, the others stay as they are

  --only <row>       may be repeated; bench/README.md says what each row is
  --rounds <number>  how often each row is measured
  --quick            few calls, small stores
  --against <folder> another built checkout is the reference of every row that has a server of ours
  --strict           a missed goal is a failure
  --commit           what later runs are compared with; a quick run follows, for the test that compares

Exit code: 0 measured, 1 a row broke, 2 wrong options, 130 interrupted.`;

/** @param {string} text @returns {never} */
export const fail = (text) => {
  console.error(`bench: ${text}`);
  process.exit(2);
};

const parse = () => {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string' },
        only: { type: 'string', multiple: true },
        against: { type: 'string' },
        quick: { type: 'boolean', default: false },
        strict: { type: 'boolean', default: false },
        commit: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (thrown) {
    return fail(`${/** @type {Error} */ (thrown).message}; see npm run bench -- --help`);
  }
};

export const readOptions = () => {
  const { help, rounds: asked, only, against: folder, quick, strict, commit } = parse();
  if (help) {
    console.log(USAGE);
    process.exit(0);
  }
  const rounds = Number(asked ?? (quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds takes a whole number from 1');
  if (commit && (quick || folder !== undefined)) {
    fail('--commit measures rows in full: not with --quick or --against');
  }
  const against = folder === undefined ? undefined : resolve(folder);
  if (against !== undefined && !existsSync(mainIn(against))) fail(`--against: there is no ${mainIn(against)}`);
  const all = allRows(quick, against);
  const wanted = only ?? all.map((row) => row.id);
  const unknown = wanted.find((id) => !all.some((row) => row.id === id));
  if (unknown !== undefined) fail(`no row ${unknown}; there are ${all.map((row) => row.id).join(', ')}`);
  return {
    rounds,
    quick,
    strict,
    commit,
    against,
    isWhole: only === undefined,
    rows: all.filter((row) => wanted.includes(row.id)),
  };
};
