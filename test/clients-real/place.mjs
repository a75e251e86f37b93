// A scratch home and project for one run of a client: nothing of the user's is read or written, and Colibri's store, keys and
// servers are in it.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { warmUp } from './warm-up.mjs';

const run = promisify(execFile);

const TAP = fileURLToPath(new URL('tap.mjs', import.meta.url));
const BEHIND = fileURLToPath(new URL('behind.mjs', import.meta.url));
const COMMAND_MS = 30_000;
/** The exit code of `colibri verify` where nothing is wrong and something is missing. */
const INCOMPLETE = 10;

/** Switches off what programs would send elsewhere; whatever still tries meets the stub as its proxy, which refuses. */
const quiet = (url) => ({
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  http_proxy: url,
  https_proxy: url,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
  NODE_USE_ENV_PROXY: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  OTEL_SDK_DISABLED: 'true',
});

/** A server behind Colibri with the tools `echo` and `wait`; it says nothing before `startMs` are over. */
const behind = (startMs) => ({ command: process.execPath, args: [BEHIND], env: { START_MS: String(startMs) } });

const write = (file, text) => {
  fs.mkdirSync(join(file, '..'), { recursive: true });
  fs.writeFileSync(file, text);
};

/** `main`: the built dist/cli/main.js. `url`: the model's. `servers`: those behind Colibri, and how long each takes to start. */
export const makePlace = (scratch, { main, url, servers = { behind: 0 } }) => {
  const dir = fs.mkdtempSync(join(scratch, 'place-'));
  const home = join(dir, 'home');
  const project = join(dir, 'project');
  for (const folder of [home, join(dir, 'tmp'), join(project, '.colibri')]) fs.mkdirSync(folder, { recursive: true });
  const own = {
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: join(dir, 'tmp'),
    XDG_CACHE_HOME: join(home, 'cache'),
    ...own,
    ...quiet(url),
  };
  const entries = Object.entries(servers).map(([name, startMs]) => [name, behind(startMs)]);
  const board = join(own.XDG_CONFIG_HOME, 'colibri', 'switchboard.json');
  write(board, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const colibri = (...args) => run(process.execPath, [main, ...args], { cwd: project, env, timeout: COMMAND_MS });
  const entry = { command: process.execPath, args: [main, 'serve'], env: own };
  const taken = join(dir, 'methods.txt');
  return {
    dir,
    home,
    project,
    env,
    /** How a client starts Colibri, for those that `colibri init` does not know. */
    entry,
    /** The same, with a process between that writes down what the client sends. */
    tapped: { ...entry, args: [TAP, taken, entry.command, ...entry.args] },
    /** The methods that went through the tap. */
    methods: () => (fs.existsSync(taken) ? fs.readFileSync(taken, 'utf8').trim().split('\n') : []),
    write: (name, value) => write(join(home, name), typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
    /** Makes Colibri know the tools of its servers. */
    warmUp: () => warmUp(process.execPath, [main, 'serve'], { cwd: project, env, tool: 'behind__echo' }),
    /** Adds Colibri to the client as a user would. */
    init: (client, ...args) => colibri('init', '--client', client, '--yes', ...args),
    /** The calls in the ledger, oldest first. */
    calls: async () => JSON.parse((await colibri('log', '--json', '--limit', '100')).stdout).calls.reverse(),
    /** What `colibri verify` says of a store that contradicts itself. A client that kills Colibri may leave it without a signed head. */
    verify: () =>
      colibri('verify').then(
        () => undefined,
        (thrown) =>
          thrown.code === INCOMPLETE
            ? undefined
            : `colibri verify ended with ${thrown.code}: ${thrown.stdout.split('\n', 4).join(' ')}`,
      ),
  };
};
