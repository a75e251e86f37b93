// npm run conformance: runs the official suite against servers (the fixture directly and through Colibri) and against Colibri as a
// client, prints what was found, and fails where docs/conformance.md does not explain it.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openClientSide } from './client-side.mjs';
import { documentOf, listedIn, readDocument, reasonFor, writeDocument } from './document.mjs';
import { summaryOf, tableOf, writeResults } from './report.mjs';
import { openServerSide } from './server-side.mjs';
import { openSuite, SuiteUnavailable } from './suite.mjs';

const EXIT_DIFFERENT = 1;
const EXIT_BROKEN = 2;
/** sysexits' EX_UNAVAILABLE. */
const EXIT_NO_SUITE = 69;

/** The suite gives some things half a second: a few failures may be the machine's, many are not. */
const TRIES = 3;
const FEW = 20;

const SIDES = { server: openServerSide, client: openClientSide };

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (text) => process.stderr.write(`conformance: ${text}\n`);

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      side: { type: 'string', multiple: true, default: Object.keys(SIDES) },
      write: { type: 'boolean', default: false },
      json: { type: 'string', default: join(root, 'test', 'conformance', 'results', 'last.json') },
      modules: { type: 'string', default: join(root, 'build') },
      main: { type: 'string', default: join(root, 'dist', 'cli', 'main.js') },
    },
  });
  const { side: sides, write, json, modules, main } = values;
  const unknown = sides.filter((side) => !Object.hasOwn(SIDES, side));
  if (unknown.length > 0)
    throw new Error(`there is no side ${unknown.join(', ')}; sides: ${Object.keys(SIDES).join(', ')}`);
  return { sides, write, json: resolve(json), modules: resolve(modules), main: resolve(main) };
};

const runSide = async (side, isExplained) => {
  await side.run();
  for (let tries = 2; tries <= TRIES; tries++) {
    const unexplained = side.judge(side.rows()).filter((one) => !isExplained(one));
    if (unexplained.length > FEW) break;
    for (const one of unexplained) {
      say(`once more: ${one.leg}, ${one.revision}, ${one.scenario}`);
      await side.again(one, tries);
    }
  }
  const rows = side.rows();
  return { legs: side.legs, rows, differences: side.judge(rows) };
};

/** True where the document explains everything, and nothing that is no longer so. */
const report = (side, outcome, { write }) => {
  process.stdout.write(`${side}\n${tableOf(outcome)}`);
  const { rows, differences } = outcome;
  const before = readDocument();
  const after = documentOf(before, { summary: summaryOf(outcome), differences }, side);
  const unexplained = differences.filter((one) => reasonFor(one, listedIn(before, side)) === undefined);
  for (const { revision, leg, scenario, checks, message } of unexplained)
    say(`not explained: ${side}, ${revision}, ${leg}, ${scenario}: ${checks.join(' ')} ${message}`);
  say(`${side}: ${rows.length} scenarios, ${differences.length} differences, ${unexplained.length} not explained`);
  if (write) writeDocument(after);
  else if (after !== before)
    say('docs/conformance.md says otherwise; npm run conformance -- --write, then give reasons');
  return unexplained.length === 0 && (write || after === before);
};

const runIn = async (scratch, options, signal) => {
  const suite = await openSuite(scratch, signal);
  const outcomes = {};
  for (const name of options.sides) {
    const side = await SIDES[name](suite, { ...options, scratch, say });
    const listed = listedIn(readDocument(), name);
    try {
      outcomes[name] = await runSide(side, (one) => reasonFor(one, listed) !== undefined);
    } finally {
      await side.end();
    }
  }
  writeResults(options.json, root, outcomes);
  say(`results in ${options.json}`);
  const isAsSaid = options.sides.map((name) => report(name, outcomes[name], options));
  return isAsSaid.every(Boolean) ? 0 : EXIT_DIFFERENT;
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
