// Makes a checkout ready to run: dependencies installed; dist/ (the bundle that users run, and its types) and build/ (the same code as single
// modules, for tests and scripts that import one) built from the src/ that is there now.
// It runs before anything is installed, so it uses Node alone. It writes to stderr only, and so do its
// children: stdout belongs to the MCP server that starts next.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

const INSTALL_STAMP = at('node_modules', '.colibri-install');
const BUILT = ['build', 'dist'];
const BUILD_STAMP = '.colibri-build';
const LOCK = at('.ready.lock');
/** A holder touches its entry far more often than this; an older entry belongs to nobody, even if its pid lives. */
const LOCK_STALE_MS = 15 * 60_000;
const LOCK_TOUCH_MS = 30_000;

const say = (text) => process.stderr.write(`colibri: ${text}\n`);

/** Ends the process after one line that says what happened and what to do. */
const fail = (text, code = 1) => {
  say(text);
  process.exit(code);
};

/** The file's text, or '' where there is none. */
const textOf = (path) => {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  }
};

/** One hash over named parts; names and lengths keep two different lists from giving the same bytes. */
const digest = (parts) => {
  const hash = createHash('sha256');
  for (const [name, content] of parts) hash.update(`${name}\0${Buffer.byteLength(content)}\0`).update(content);
  return hash.digest('hex');
};

// What is there.

const packageJson = () => JSON.parse(textOf(at('package.json')));

const checkNode = () => {
  const wanted = packageJson().engines.node.replace('>=', '');
  const [major = 0, minor = 0] = wanted.split('.').map(Number);
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  fail(`Node ${wanted} or newer is needed, this is ${process.versions.node}. Install a newer one and run this again.`);
};

const installKey = () =>
  digest([
    ['lock', textOf(at('package-lock.json'))],
    ['node', process.version],
    ['platform', `${process.platform}/${process.arch}`],
  ]);

const sources = () =>
  fs
    .readdirSync(at('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|css)$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const buildKey = () =>
  digest([
    ['version', packageJson().version],
    ['lock', textOf(at('package-lock.json'))],
    ...['tsconfig.json', 'scripts/bundle.mjs'].map((path) => [path, textOf(at(path))]),
    ...sources().map((path) => [relative(root, path), fs.readFileSync(path)]),
  ]);

const isInstalled = () => textOf(INSTALL_STAMP) === installKey();
const isBuilt = () => {
  const key = buildKey();
  return BUILT.every((folder) => textOf(at(folder, BUILD_STAMP)) === key);
};

// The lock: a directory with one entry per contender, `<pid>-<nonce>`. Each writes its entry and then looks
// around; whoever sees no other living entry holds the lock. Of two that write at once at least one sees the
// other. An entry holds the pid of the child that works for it, so that an install whose parent was killed
// still counts.

const ownEntry = join(LOCK, `${process.pid}-${randomUUID()}`);

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const isLive = (name) => {
  const path = join(LOCK, name);
  const touched = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (touched === undefined || Date.now() - touched > LOCK_STALE_MS) return false;
  const child = Number(textOf(path));
  return isRunning(Number.parseInt(name, 10)) || (child > 0 && isRunning(child));
};

/** The pid of another living contender, after removing what dead ones left. */
const otherContender = () => {
  const others = fs.readdirSync(LOCK).filter((name) => name !== basename(ownEntry));
  for (const name of others) {
    if (isLive(name)) return Number.parseInt(name, 10);
    fs.rmSync(join(LOCK, name), { force: true });
  }
  return undefined;
};

const releaseLock = () => {
  try {
    fs.rmSync(ownEntry, { force: true });
    fs.rmdirSync(LOCK);
  } catch {
    // Somebody else has an entry in it, or it is gone already.
  }
};

/** Returns the pid that is in the way, or undefined once the lock is ours. */
const tryLock = () => {
  try {
    fs.mkdirSync(LOCK, { recursive: true });
    const holder = otherContender();
    if (holder !== undefined) return holder;
    fs.writeFileSync(ownEntry, '');
    const rival = otherContender();
    if (rival !== undefined) fs.rmSync(ownEntry, { force: true });
    return rival;
  } catch (error) {
    if (error.code === 'ENOENT') return 0; // the directory went away under us
    throw error;
  }
};

const takeLock = async () => {
  process.on('exit', releaseLock);
  let told;
  for (let holder = tryLock(); holder !== undefined; holder = tryLock()) {
    if (holder !== 0 && holder !== told) say(`process ${holder} is getting this checkout ready; waiting for it`);
    told = holder || told;
    await sleep(100 + Math.random() * 150);
  }
  const touch = () => fs.utimes(ownEntry, new Date(), new Date(), () => {});
  setInterval(touch, LOCK_TOUCH_MS).unref();
};

// Children.

let child;

/** Runs a program with its stdout on our stderr and returns its exit code. */
const run = (program, args) =>
  new Promise((resolve) => {
    child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: program === 'npm' && process.platform === 'win32',
    });
    child.once('error', (error) => fail(`${program} did not start: ${error.message}`, 127));
    child.once('close', (code, signal) => {
      child = undefined;
      resolve(code ?? 128 + constants.signals[signal]);
    });
    if (child.pid !== undefined) fs.writeFileSync(ownEntry, String(child.pid));
  });

/** A signal ends the child first, so that the lock is free only when nothing writes any more. */
const onSignal = (signal) => {
  const code = 128 + constants.signals[signal];
  if (child === undefined) process.exit(code);
  child.removeAllListeners('close').once('close', () => process.exit(code));
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
};

// The two steps.

/** npm fetches Node's headers from its site unless it is told where they are; many installations have them beside Node. */
const headers = () => {
  const prefix = dirname(dirname(fs.realpathSync(process.execPath)));
  return fs.existsSync(join(prefix, 'include', 'node', 'node.h'))
    ? `they are here, put npm_config_nodedir=${prefix} before the command`
    : 'put npm_config_nodedir=<folder> before the command, the one whose include/node/ has them (often /usr)';
};

const install = async () => {
  say(
    'installing dependencies, about two minutes: better-sqlite3 may be compiled where no prebuilt one can be fetched',
  );
  fs.rmSync(INSTALL_STAMP, { force: true }); // a broken install must not look like the one before it
  const key = installKey();
  const npm = process.env.npm_execpath ?? '';
  // The compiler is needed even where NODE_ENV is production, npm's reasons even under `npm start --silent`.
  const args = ['ci', '--include=dev', '--loglevel=warn'];
  const code = await (basename(npm).startsWith('npm') ? run(process.execPath, [npm, ...args]) : run('npm', args));
  if (code !== 0) {
    const compiler = 'on Debian `apt-get install python3 make g++`, on macOS `xcode-select --install`';
    fail(
      'npm ci failed, its reason is above. If a native module did not compile because there is no compiler: ' +
        `${compiler}. If Node's headers could not be fetched: ${headers()}. Then try again.`,
      code,
    );
  }
  fs.writeFileSync(INSTALL_STAMP, key);
};

/** Only the holder of the lock builds, so whatever lies around is from a build that was killed. */
const removeLeftovers = () => {
  for (const name of fs.readdirSync(root)) {
    if (/^(build|dist)\.(tmp|old)-\d+$/.test(name)) fs.rmSync(at(name), { recursive: true, force: true });
  }
};

/** Runs one step of the build; if it fails, both folders stay as they are. */
const buildStep = async (name, ...args) => {
  const code = await run(process.execPath, args);
  if (code === 0) return;
  removeLeftovers();
  fail(`${name} found errors, listed above; dist/ is as it was. Correct them and run this again.`, code);
};

/** A folder is replaced as a whole. One that is replaced alone, because this was killed in between, has a stamp unlike the other's. */
const replace = (folder, fresh) => {
  const old = `${folder}.old-${process.pid}`;
  if (fs.existsSync(at(folder))) fs.renameSync(at(folder), at(old));
  fs.renameSync(at(fresh), at(folder));
};

const build = async () => {
  say('building dist/');
  removeLeftovers();
  const [modules, bundle] = BUILT.map((folder) => `${folder}.tmp-${process.pid}`);
  const key = buildKey(); // before tsc reads: a file saved meanwhile must lead to another build
  await buildStep('tsc', at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.json'), '--outDir', at(modules));
  await buildStep('the bundler', at('scripts/bundle.mjs'), at(bundle));
  fs.cpSync(at(modules), at(bundle), {
    recursive: true,
    filter: (path) => fs.statSync(path).isDirectory() || path.endsWith('.d.ts'),
  });
  for (const binary of Object.values(packageJson().bin)) {
    fs.chmodSync(at(binary.replace(/^dist\//, `${bundle}/`)), 0o755);
  }
  for (const fresh of [modules, bundle]) fs.writeFileSync(at(fresh, BUILD_STAMP), key);
  replace('build', modules);
  replace('dist', bundle);
  removeLeftovers();
};

const isForced = process.argv.includes('--build');
process.stderr.on('error', () => {}); // whoever started us may be gone; finish for the next one

checkNode();
if (isForced || !isInstalled() || !isBuilt()) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  await takeLock();
  if (!isInstalled()) await install();
  if (isForced || !isBuilt()) await build();
}
process.exit(0);
