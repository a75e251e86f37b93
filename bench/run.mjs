// npm run bench: measures the rows round by round, prints one table, keeps every number as JSON in bench/results/.
// A missed goal is a line in the table; only a run that broke is a failure, unless --strict.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { leaveNothing } from './belongings.mjs';
import { load, machineFacts } from './machine.mjs';
import { summarize, Unavailable } from './rounds.mjs';
import { crowdRow } from './rows/crowd.mjs';
import { durabilityRow, inFlightRow } from './rows/in-flight.mjs';
import { latencyRows } from './rows/latency.mjs';
import { ledgerGrowthRows } from './rows/ledger-growth.mjs';
import { proxiedRows } from './rows/proxied.mjs';
import { redactionRow } from './rows/redaction.mjs';
import { memoryRow, startRow } from './rows/start.mjs';
import { switchboardRows } from './rows/switchboard.mjs';
import { taskCreateRow } from './rows/task-create.mjs';
import { taskGrowthRows } from './rows/task-growth.mjs';
import { verifyRow } from './rows/verify.mjs';
import { assertSameResult } from './servers.mjs';
import { table } from './table.mjs';
import { taskStores } from './task-stores.mjs';

/**
 * @typedef {object} Report
 * @property {import('./rounds.mjs').Row} row
 * @property {ReturnType<typeof summarize>} [summary]
 * @property {string} [unmeasured] why there are no numbers
 * @property {boolean} [broken]
 */

/** @param {boolean} quick @param {import('./task-stores.mjs').TaskStores} stores */
const rowsFor = (quick, stores) => [
  ...latencyRows(quick),
  inFlightRow(quick),
  durabilityRow(quick),
  startRow(quick),
  memoryRow(),
  taskCreateRow(quick),
  ...taskGrowthRows(stores, quick),
  verifyRow(quick),
  ...ledgerGrowthRows(quick),
  ...proxiedRows(quick),
  redactionRow(quick),
  ...switchboardRows(quick),
  crowdRow(4, quick),
  crowdRow(8, quick),
];

/** @param {string} text @returns {never} */
const fail = (text) => {
  console.error(`bench: ${text}`);
  process.exit(2);
};

const USAGE = `npm run bench                 all rows, five rounds, about ten minutes
npm run bench -- --quick      two short rounds: does it run at all
npm run bench -- --only ping --rounds 9
npm run bench -- --strict     exit code 1 on a missed goal

  --only <row>       may be repeated; bench/README.md says what each row is
  --rounds <number>  how often each row is measured
  --quick            few calls, small stores
  --strict           a missed goal is a failure

Exit code: 0 measured, 1 a row broke, 2 wrong options, 130 interrupted.`;

const parse = () => {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string' },
        only: { type: 'string', multiple: true },
        quick: { type: 'boolean', default: false },
        strict: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (thrown) {
    return fail(`${/** @type {Error} */ (thrown).message}; see npm run bench -- --help`);
  }
};

const readOptions = () => {
  const values = parse();
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds takes a whole number from 1');
  const stores = taskStores({ small: 1_000, large: values.quick ? 20_000 : 1_000_000 });
  const all = rowsFor(values.quick, stores);
  const wanted = values.only ?? all.map((row) => row.id);
  const unknown = wanted.find((id) => !all.some((row) => row.id === id));
  if (unknown !== undefined) fail(`no row ${unknown}; there are ${all.map((row) => row.id).join(', ')}`);
  return { rounds, quick: values.quick, strict: values.strict, rows: all.filter((row) => wanted.includes(row.id)) };
};

/** @param {import('./rounds.mjs').Row} row @param {number} rounds @returns {Promise<Report>} */
const measureRow = async (row, rounds) => {
  const pairs = [];
  try {
    for (let round = 0; round < rounds; round++) {
      console.error(`${row.id}: round ${round + 1} of ${rounds}`);
      pairs.push(await row.measure(round));
    }
    return { row, summary: summarize(row, pairs) };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof Unavailable) return { row, unmeasured: `not measured: ${why}` };
    console.error(`bench: ${row.id} broke: ${why}`);
    return { row, unmeasured: `broke: ${why.split('\n')[0]}`, broken: true };
  }
};

/** @param {object} content */
const keep = (content) => {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${new Date().toISOString().replace(/[:.]/g, '-')}.json`, folder);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return fileURLToPath(file);
};

process.once('exit', leaveNothing);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
const { rounds, quick, strict, rows } = readOptions();
const machine = { ...machineFacts(), loadBefore: load() };
const begun = new Date().toISOString();
await assertSameResult().catch((thrown) => fail(thrown.message));

/** @type {Report[]} */
const reports = [];
for (const row of rows) reports.push(await measureRow(row, rounds));
const loads = { ...machine, loadAfter: load() };

console.log(
  `node ${machine.node}, ${machine.cores} cores, ${rounds} rounds${quick ? ' (quick)' : ''}; load ${loads.loadBefore[0]} before, ${loads.loadAfter[0]} after`,
);
if ((machine.loadBefore[0] ?? 0) > machine.cores) {
  console.log(
    'the machine was busy before this began: ratios lean against the longer call, freezes are not ours alone',
  );
}
console.log(table(reports));
const results = reports.map(({ row, ...rest }) => ({
  id: row.id,
  name: row.name,
  unit: row.unit,
  judged: row.judged,
  better: row.better,
  goals: row.goals,
  ...rest,
}));
console.log(`all numbers: ${keep({ begun, ended: new Date().toISOString(), quick, rounds, machine: loads, results })}`);

const missed = reports.some(({ summary }) => summary?.met.now === false || summary?.met.design === false);
if (reports.some(({ broken }) => broken) || (strict && missed)) process.exitCode = 1;
