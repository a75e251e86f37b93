// Client programs from npm, each in a folder of its own outside the project's dependencies: installed once, without running the
// packages' own scripts. Many need a newer Node than Colibri does; that comes as a package too.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const NODE = { major: 22, version: '22.23.3' };
const ABANDONED_MS = 60 * 60_000;
const ERROR_LINES = 2;

const cacheDir = () =>
  process.env.CLIENTS_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'colibri-clients');

/** Runs npm; resolves with what went wrong, or undefined. */
const npm = (args, { timeoutMs, signal }) =>
  new Promise((resolve) => {
    const child = spawn('npm', args, { timeout: timeoutMs, signal, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.on('error', (thrown) => resolve(thrown.message));
    child.on('close', (code, killed) => {
      if (code === 0) return resolve(undefined);
      if (killed !== null) return resolve(`npm took longer than ${timeoutMs / 1_000} s`);
      const lines = errors.split('\n').filter((line) => /^npm error \S/.test(line));
      return resolve(lines.slice(0, ERROR_LINES).join('; ') || `npm ended with ${code}`);
    });
  });

/** Removes what installs that were killed have left behind. */
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

const install = async (dir, packages, choice) => {
  fs.mkdirSync(cacheDir(), { recursive: true });
  removeAbandoned();
  const fresh = fs.mkdtempSync(`${dir}.tmp-`);
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  try {
    const wrong = await npm(['install', '--prefix', fresh, ...flags, ...packages], choice);
    if (wrong === undefined) keep(fresh, dir);
    return wrong;
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
};

const folderOf = (name, packages) => {
  const digest = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 8);
  return join(cacheDir(), `${name}-${digest}`);
};

/**
 * The folder that has these packages (`name@version`): `{dir}`, or `{absent: why}`. `mayInstall: false` looks only
 * whether they are there.
 */
export const packagesIn = async (name, packages, { mayInstall, ...choice }) => {
  const dir = folderOf(name, packages);
  if (fs.existsSync(dir)) return { dir };
  if (!mayInstall) return { absent: 'not installed' };
  const wrong = await install(dir, packages, choice);
  return wrong === undefined ? { dir } : { absent: wrong };
};

/** A Node that is new enough for the clients: this one, or one from npm. */
export const newNode = async (choice) => {
  if (Number.parseInt(process.versions.node, 10) >= NODE.major) return { node: process.execPath };
  const name = `node-${process.platform}-${process.arch}`;
  const { dir, absent } = await packagesIn(name, [`${name}@${NODE.version}`], choice);
  return dir === undefined ? { absent } : { node: join(dir, 'node_modules', name, 'bin', 'node') };
};

/** The version of a package that is installed there. */
export const versionIn = (dir, name) => {
  const manifest = join(dir, 'node_modules', ...name.split('/'), 'package.json');
  return JSON.parse(fs.readFileSync(manifest, 'utf8')).version;
};
