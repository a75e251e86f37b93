// The package as a stranger installs it: npm packs it, installs it into empty folders with an empty home, and every command works from there.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from './packed.js';

/** The driver is compiled where no built one can be fetched, and so are others at the same time. */
const INSTALL_MS = 5 * 60_000;

/** Packages come from outside: a download that stands still is tried once more. */
const TWICE = { timeout: INSTALL_MS + 60_000, retry: 1 };

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-install-')));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const made = (...names: readonly string[]): string => {
  const path = join(folder, ...names);
  fs.mkdirSync(path, { recursive: true });
  return path;
};

interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with an empty home; only npm's settings are the user's own. */
const run = (home: string, cwd: string, [program = '', ...args]: readonly string[], input = ''): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      npm_config_userconfig: join(userInfo().homedir, '.npmrc'),
      npm_config_cache: made('cache'),
      npm_config_prefer_offline: 'true',
      ...(process.env.npm_config_nodedir !== undefined && { npm_config_nodedir: process.env.npm_config_nodedir }),
    };
    const child = execFile(program, args, { cwd, env, timeout: INSTALL_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr }),
    );
    child.stdin?.end(input);
  });

const tarball = async (): Promise<string> => {
  const { stdout } = await run(made('npm'), ROOT, [
    ...['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder],
  ]);
  return join(folder, stdout.trim());
};

const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'task_create', arguments: { title: 'installed' } } },
];
const LINES = REQUESTS.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('');

test('npx runs the demo from an empty folder', TWICE, async () => {
  const [home, empty, file] = [made('npx-home'), made('empty'), await tarball()];
  const { code, stdout, stderr } = await run(home, empty, ['npx', '--yes', '--package', file, 'colibri', 'demo']);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/All \d+ claims held/);
  // There are no tests in the package to suggest.
  expect(stdout).not.toContain('npm test');
  expect(fs.readdirSync(empty)).toEqual([]);
  expect(fs.readdirSync(home)).toEqual([]);
});

test('npm i -g, then init, serve, status, verify, uninstall', TWICE, async () => {
  const [home, project, prefix, file] = [made('home'), made('project'), made('prefix'), await tarball()];
  const installed = await run(home, project, ['npm', 'i', '-g', '--prefix', prefix, file]);
  expect(installed.code, installed.stderr).toBe(0);
  made('project', '.git');
  const colibri = (args: readonly string[], input?: string) =>
    run(home, project, [join(prefix, 'bin', 'colibri'), ...args], input);

  const added = await colibri(['init', '--client', 'claude-code', '--yes']);
  expect(added.code, added.stderr).toBe(0);
  const { mcpServers } = JSON.parse(fs.readFileSync(join(home, '.claude.json'), 'utf8'));
  const { command, args } = mcpServers.colibri;
  expect(args[0]).toBe(join(prefix, 'lib', 'node_modules', 'colibri', 'dist', 'cli', 'main.js'));
  // What the client would start.
  const served = await run(home, project, [command, ...args], LINES);
  expect(served).toMatchObject({ code: 0, stdout: expect.stringContaining('"dev.colibri/receipt"') });

  expect(await colibri(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining(project) });
  expect(await colibri(['verify'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK /) });
  const gone = await colibri(['uninstall', '--yes']);
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('npm uninstall --global colibri') });
  expect(fs.readdirSync(home)).toEqual(['.local']);
  const removed = await run(home, project, ['npm', 'uninstall', '-g', '--prefix', prefix, 'colibri']);
  expect(removed.code, removed.stderr).toBe(0);
  expect(fs.existsSync(join(prefix, 'bin', 'colibri'))).toBe(false);
});
