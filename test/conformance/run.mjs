// npm run conformance: runs the official suite against the fixture directly and through Colibri, prints both side by side,
// and fails where Colibri makes a difference that docs/conformance.md does not explain.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judge, verdictsOf } from './compare.mjs';
import { documentOf, listedIn, readDocument, reasonFor, writeDocument } from './document.mjs';
import { LEGS, startHost } from './hosts.mjs';
import { summaryOf, tableOf, writeResults } from './report.mjs';
import { openSuite, REVISIONS, SKILLS, SuiteUnavailable } from './suite.mjs';

const EXIT_DIFFERENT = 1;
const EXIT_BROKEN = 2;
/** sysexits' EX_UNAVAILABLE. */
const EXIT_NO_SUITE = 69;

/** The suite gives some things half a second: a few failures may be the machine's, many are not. */
const TRIES = 3;
const FEW = 20;

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (text) => process.stderr.write(`conformance: ${text}\n`);

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      json: { type: 'string', default: join(root, 'test', 'conformance', 'results', 'last.json') },
      dist: { type: 'string', default: join(root, 'dist') },
    },
  });
  return { write: values.write, json: resolve(values.json), dist: resolve(values.dist) };
};

/**
 * Scenarios that leave calls without the input they asked for. Colibri keeps such a call for its client, and meanwhile
 * declines what an old server asks: the next scenario must be another client.
 */
const LEAVES_CALLS = /^(input-required-result-|server-stateless$)/;

/** Every scenario of every revision on one host. */
const runAll = async (suite, { leg, url, urlOf }) => {
  const found = {};
  for (const revision of REVISIONS) {
    say(`${leg}, ${revision}`);
    found[revision] = await suite.runRevision(url, revision);
  }
  const last = REVISIONS.at(-1);
  const alone = leg === 'through-old' ? Object.keys(found[last]).filter((one) => LEAVES_CALLS.test(one)) : [];
  for (const one of alone) found[last][one] = await suite.runScenario(urlOf(one), last, one);
  if (leg !== 'direct') for (const one of SKILLS) found[last][one] = await suite.runScenario(url, last, one);
  return found;
};

/** One row for every scenario that a revision has, run or not; the legs hold verdicts by check. */
const rowsOf = (suite, found) =>
  REVISIONS.flatMap((revision) => {
    const own = revision === REVISIONS.at(-1) ? SKILLS.map((scenario) => [scenario, 'own']) : [];
    return [...suite.requirements(revision), ...own].map(([scenario, need]) => {
      const legs = LEGS.map((leg) => [leg, verdictsOf(found[leg][revision][scenario])]);
      return { revision, scenario, need, legs: Object.fromEntries(legs) };
    });
  });

const runEverything = async (suite, hosts, isExplained) => {
  const found = {};
  for (const leg of LEGS) found[leg] = await runAll(suite, hosts[leg]);
  for (let tries = 2; tries <= TRIES; tries++) {
    const unexplained = judge(rowsOf(suite, found)).filter((one) => !isExplained(one));
    if (unexplained.length > FEW) break;
    for (const { revision, leg, scenario } of unexplained) {
      say(`once more: ${leg}, ${revision}, ${scenario}`);
      found[leg][revision][scenario] = await suite.runScenario(
        hosts[leg].urlOf(`try-${tries}-${scenario}`),
        revision,
        scenario,
      );
    }
  }
  const rows = rowsOf(suite, found);
  return { rows, differences: judge(rows) };
};

/** True where the document explains everything, and nothing that is no longer so. */
const report = (outcome, { write }) => {
  process.stdout.write(tableOf(outcome));
  const { rows, differences } = outcome;
  const before = readDocument();
  const after = documentOf(before, { summary: summaryOf(rows), differences });
  const unexplained = differences.filter((one) => reasonFor(one, listedIn(before)) === undefined);
  for (const { revision, leg, scenario, checks, message } of unexplained)
    say(`not explained: ${revision}, ${leg}, ${scenario}: ${checks.join(' ')} ${message}`);
  say(`${rows.length} scenarios, ${differences.length} differences, ${unexplained.length} not explained`);
  if (write) writeDocument(after);
  else if (after !== before)
    say('docs/conformance.md says otherwise; npm run conformance -- --write, then give reasons');
  return unexplained.length === 0 && (write || after === before);
};

const runIn = async (scratch, options, signal) => {
  const hosts = {};
  try {
    const suite = await openSuite(scratch, signal);
    for (const leg of LEGS) hosts[leg] = await startHost(leg, { dist: options.dist, scratch });
    const listed = listedIn(readDocument());
    const outcome = await runEverything(suite, hosts, (one) => reasonFor(one, listed) !== undefined);
    writeResults(options.json, root, outcome);
    say(`results in ${options.json}`);
    return report(outcome, options) ? 0 : EXIT_DIFFERENT;
  } finally {
    await Promise.all(Object.values(hosts).map((host) => host.end()));
  }
};

const main = async () => {
  const options = readOptions();
  const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-conformance-')));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  try {
    return await runIn(scratch, options, stop.signal);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
};

process.exitCode = await main().catch((thrown) => {
  say(thrown.message);
  return thrown instanceof SuiteUnavailable ? EXIT_NO_SUITE : EXIT_BROKEN;
});
