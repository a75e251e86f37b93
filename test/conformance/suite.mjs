// The official conformance suite, kept in a folder of its own outside the project's dependencies: installed once, run as a
// process against an address, or with the command of a client. It needs a newer Node than Colibri does, which comes as a package too.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** npm's `latest` has no scenarios of 2026. */
export const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const NODE_VERSION = '22.23.3';
const NODE_MAJOR = 22;
const INSTALL_MS = 5 * 60_000;
const RUN_MS = 5 * 60_000;
const ABANDONED_MS = 60 * 60_000;
const ERROR_LINES = 4;

export const REVISIONS = ['2025-11-25', '2026-07-28'];
/** Of an extension that Colibri serves itself; no revision asks for it. */
export const SKILLS = ['sep-2640-skills-manifest', 'sep-2640-skills-enumeration', 'sep-2640-skills-directory'];

/** The suite is not there and cannot be had: no network, no room. */
export class SuiteUnavailable extends Error {}

const run = (command, args, options) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });

const cacheDir = () =>
  process.env.CONFORMANCE_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'colibri-conformance');

const hasNewNode = () => Number.parseInt(process.versions.node, 10) >= NODE_MAJOR;
const nodePackage = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const install = async (dir, signal) => {
  const packages = hasNewNode() ? [SUITE] : [SUITE, `${nodePackage()}@${NODE_VERSION}`];
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const { code, output } = await run('npm', ['install', '--prefix', dir, ...flags, ...packages], {
    timeout: INSTALL_MS,
    signal,
  });
  const errors = output.split('\n').filter((line) => /^npm error \S/.test(line));
  if (code !== 0) throw new Error(errors.slice(0, ERROR_LINES).join('\n') || `npm ended with ${code}`);
};

/** What installs that were killed left behind. */
const removeAbandoned = () => {
  for (const name of fs.readdirSync(cacheDir()).filter((one) => one.includes('.tmp-'))) {
    const path = join(cacheDir(), name);
    if (Date.now() - fs.statSync(path).mtimeMs > ABANDONED_MS) fs.rmSync(path, { recursive: true, force: true });
  }
};

/** Two runs at once may both install; the first to be ready is kept. */
const keep = (fresh, dir) => {
  try {
    fs.renameSync(fresh, dir);
  } catch (thrown) {
    if (!fs.existsSync(dir)) throw thrown;
  }
};

const installed = async (signal) => {
  const dir = join(cacheDir(), `${SUITE.split('@').at(-1)}-${hasNewNode() ? 'own-node' : `node-${NODE_VERSION}`}`);
  if (fs.existsSync(dir)) return dir;
  fs.mkdirSync(cacheDir(), { recursive: true });
  removeAbandoned();
  const fresh = fs.mkdtempSync(`${dir}.tmp-`);
  try {
    await install(fresh, signal);
    keep(fresh, dir);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return dir;
};

const SCENARIO_FOLDER = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Checks by scenario, as the suite wrote them; a scenario that broke down has a folder and wrote nothing. */
const readResults = (dir) => {
  const written = fs.readdirSync(dir).filter((folder) => fs.existsSync(join(dir, folder, 'checks.json')));
  return Object.fromEntries(
    written.map((folder) => [
      SCENARIO_FOLDER.exec(folder)?.[1] ?? folder,
      JSON.parse(fs.readFileSync(join(dir, folder, 'checks.json'), 'utf8')),
    ]),
  );
};

/** The scenarios that a revision has for servers or for clients, and why some are not required. */
const readRequirements = (home, revision, side) => {
  const { not_scored, ...required } = parse(fs.readFileSync(join(home, 'requirements', `${revision}.yaml`), 'utf8'));
  const optional = not_scored.filter(({ leg }) => leg === side).map(({ scenario, reason }) => [scenario, reason]);
  return new Map([...required[side].map((scenario) => [scenario, 'required']), ...optional]);
};

/** A client that broke down where no check noticed it. */
const withBreakdown = (checks, { code, output }) => {
  const isNoticed = code === 0 || checks.some(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const breakdown = { id: 'client-ended-well', status: 'FAILURE', errorMessage: output.slice(-2000) };
  return isNoticed ? checks : [...checks, breakdown];
};

/** Installs the suite if it is not there, and returns how to run it. `scratch`: an empty folder; `signal` ends all. */
export const openSuite = async (scratch, signal) => {
  const dir = await installed(signal).catch((thrown) => {
    throw new SuiteUnavailable(`${SUITE} could not be installed in ${cacheDir()}:\n${thrown.message}`);
  });
  const home = join(dir, 'node_modules', '@modelcontextprotocol', 'conformance');
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = hasNewNode() ? process.execPath : join(dir, 'node_modules', nodePackage(), 'bin', executable);
  const runSuite = async (...choice) => {
    const out = fs.mkdtempSync(join(scratch, 'results-'));
    const args = [join(home, 'dist', 'index.js'), ...choice, '-o', out];
    const { code, output } = await run(node, args, { timeout: RUN_MS, cwd: scratch, signal });
    // 1 says that some scenario failed; anything else that the suite did.
    if (![0, 1].includes(code) || fs.readdirSync(out).length === 0)
      throw new Error(`the suite ended with ${code}:\n${output.slice(-2000)}`);
    return { results: readResults(out), code, output };
  };
  const alone = (revision, scenario) => ['--scenario', scenario, '--spec-version', revision, '--force'];
  return {
    requirements: (revision, side) => readRequirements(home, revision, side),
    runRevision: async (url, revision) => (await runSuite('server', '--url', url, '--requirements', revision)).results,
    runScenario: async (url, revision, scenario) => {
      const { results } = await runSuite('server', '--url', url, ...alone(revision, scenario));
      return results[scenario] ?? [];
    },
    runClient: async (command, revision, scenario) => {
      const { results, ...end } = await runSuite('client', '--command', command, ...alone(revision, scenario));
      // A check may have one id for several things, and one of them may be skipped.
      const checks = (results[scenario] ?? []).map((check) => ({ ...check, id: `${check.id}:${check.name}` }));
      return withBreakdown(checks, end);
    },
  };
};
