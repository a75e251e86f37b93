// npm run bench: measures the rows round by round, prints one table, keeps every number as JSON in bench/results/.
// A missed goal is a line in the table; only a run that broke is a failure, unless --strict.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allRows } from './all-rows.mjs';
import { leaveNothing } from './belongings.mjs';
import { committedOf, readCommitted, withRows, writeCommitted } from './committed.mjs';
import { load, machineFacts, versions } from './machine.mjs';
import { measureRows, resultsOf } from './measure.mjs';
import { fail, readOptions } from './options.mjs';
import { assertSameResult } from './servers.mjs';
import { table } from './table.mjs';

/** Of the quick run that `--commit` adds: more than a quick run has by itself, because others are compared with it. */
const QUICK_ROUNDS = 4;

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
const { rounds, quick, strict, commit, against, rows, isWhole } = readOptions();
const machine = { ...machineFacts(), loadBefore: load() };
const begun = new Date().toISOString();
await assertSameResult().catch((thrown) => fail(thrown.message));

const reports = await measureRows(rows, { rounds, against });
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
const facts = { begun, ended: new Date().toISOString(), quick, rounds, machine: loads, versions: versions() };
console.log(`all numbers: ${keep({ ...facts, against, results: resultsOf(reports) })}`);
const isBroken = reports.some(({ broken }) => broken);
if (commit && isBroken) console.log('nothing is committed: a row broke');
else if (commit) {
  const all = allRows(true);
  const ids = rows.map(({ id }) => id);
  const again = await measureRows(
    all.filter(({ id }) => ids.includes(id)),
    { rounds: Math.min(rounds, QUICK_ROUNDS) },
  );
  const fresh = committedOf(facts, reports, again);
  const order = all.map(({ id }) => id);
  const files = writeCommitted(isWhole ? fresh : withRows(readCommitted(), fresh, order));
  console.log(`committed: ${files.join(', ')}`);
}

if (isBroken || (strict && reports.some(({ summary }) => summary?.met === false))) process.exitCode = 1;
