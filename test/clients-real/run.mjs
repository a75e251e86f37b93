// npm run clients: installs the client programs that npm has, runs each of them against a model on loopback and Colibri, prints a table,
// and writes it into docs/clients.md. A program that cannot be installed is named and is not a failure.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newNode, packagesIn, versionIn } from './cache.mjs';
import { readDocument, withTable, writeDocument } from './document.mjs';
import { PROGRAMS } from './programs/table.mjs';
import { failuresOf, reportOf } from './report.mjs';
import { tryClient } from './try-client.mjs';

const INSTALL_MS = 5 * 60_000;
const WITHIN_MS = 60 * 60_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (text) => process.stderr.write(`clients: ${text}\n`);

const readOptions = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      'no-install': { type: 'boolean', default: false },
      'install-ms': { type: 'string', default: String(INSTALL_MS) },
      'within-ms': { type: 'string', default: String(WITHIN_MS) },
      newest: { type: 'boolean', default: false },
      scenario: { type: 'string', multiple: true },
      json: { type: 'string' },
      main: { type: 'string', default: join(root, 'dist', 'cli', 'main.js') },
    },
  });
  const unknown = positionals.filter((id) => !PROGRAMS.some((one) => one.id === id));
  if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(', ')}`);
  return { ...values, ids: positionals };
};

const pin = (name) => JSON.parse(fs.readFileSync(join(root, 'test', 'pins', name), 'utf8'));
const ownTools = () => [...pin('tools-list.json'), ...pin('router-tools.json')].map(({ name }) => name);
const firstSentence = () =>
  fs
    .readFileSync(join(root, 'test', 'pins', 'instructions.txt'), 'utf8')
    .split('\n\n')[1]
    .split('. ', 1)[0];

const unpinned = (name) => name.replace(/(?<=.)@[^@/]+$/, '');

/** Installs what the client needs: `{installed, node}`, or `{absent}`. */
const provide = async (program, { newest, gate, ...choice }) => {
  const mayInstall = choice.mayInstall && (!gate || program.isInGate === true);
  const packages = newest ? program.packages.map(unpinned) : program.packages;
  const { dir, absent } = await packagesIn(program.id, packages, { ...choice, mayInstall });
  if (dir === undefined) return { absent };
  if (!program.needsNode) return { installed: dir, node: process.execPath };
  const { node, absent: noNode } = await newNode({ ...choice, mayInstall });
  return node === undefined ? { absent: `it needs a newer Node: ${noNode}` } : { installed: dir, node };
};

const tryOne = async (program, options, around) => {
  const { installed, node, absent } = await provide(program, options);
  const { id, title } = program;
  if (installed === undefined) {
    say(`${title}: absent, ${absent}`);
    return { id, title, absent };
  }
  const version = versionIn(installed, unpinned(program.packages[0]));
  say(`${title} ${version}`);
  const found = await tryClient(program, { ...around, installed, node });
  const row = { id, title, version, date: new Date().toISOString().slice(0, 10), ...found };
  for (const [name, { why, known }] of Object.entries(found.verdicts))
    if (why !== undefined && known === undefined) say(`${title}: ${name}: ${why}`);
  for (const key of ['outside', 'unknown', 'leftovers'])
    if (found[key].length > 0) say(`${title}: ${key}: ${found[key].join(' · ')}`);
  return row;
};

const runIn = async (scratch, options, signal) => {
  const around = {
    scratch,
    main: resolve(options.main),
    ownTools: ownTools(),
    instructions: firstSentence(),
    only: options.scenario,
    until: Date.now() + Number(options['within-ms']),
  };
  const choice = {
    newest: options.newest,
    gate: options.gate,
    mayInstall: !options['no-install'],
    timeoutMs: Number(options['install-ms']),
    signal,
  };
  let chosen = PROGRAMS.filter(({ id }) => options.ids.length === 0 || options.ids.includes(id));
  if (options.gate) chosen = chosen.filter(({ isOnlyByHand }) => !isOnlyByHand);
  if (options.gate) chosen.sort((one, other) => Number(other.isInGate ?? false) - Number(one.isInGate ?? false));
  const rows = [];
  for (const program of chosen) {
    if (signal.aborted) break;
    const { id, title } = program;
    rows.push(
      Date.now() < around.until
        ? await tryOne(program, choice, around)
        : { id, title, absent: 'no time was left for it' },
    );
  }
  if (options.json !== undefined) fs.writeFileSync(options.json, JSON.stringify({ rows }, null, 2));
  process.stdout.write(reportOf(rows));
  if (options.write) writeDocument(withTable(readDocument(), rows));
  return failuresOf(rows).length === 0 ? 0 : 1;
};

const main = async () => {
  const options = readOptions();
  const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-clients-')));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  try {
    return await runIn(scratch, options, stop.signal);
  } finally {
    if (process.env.KEEP_PLACES === undefined) fs.rmSync(scratch, { recursive: true, force: true });
    else say(`kept: ${scratch}`);
  }
};

process.exitCode = await main().catch((thrown) => {
  say(thrown.message);
  return 2;
});
