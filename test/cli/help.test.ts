// What every command owes the person: help with examples and exit codes, errors in one line, nothing in colour that is
// not on a terminal.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, helpTexts, usedStore } from '../support/command-line.js';
import { expectFits, listedIn } from '../support/command-output.js';
import { loadedSources } from '../support/loaded-sources.js';
import { freshPlace, MAIN, serve } from '../support/serve.js';

const COMMANDS = [
  'serve',
  'status',
  'log',
  'tasks',
  'verify',
  'prove',
  'page',
  'report',
  'view',
  'checkpoint',
  'restore',
  'accept-loss',
  'version',
  'erase',
  'prune',
  'migrate-store',
  'nodes',
  'backup',
  'export',
  'doctor',
  'init',
  'uninstall',
];

test('the list of commands, and help with exit codes for each', { timeout: 120_000 }, async () => {
  const place = freshPlace();
  const all = await colibri(place, ['--help']);
  for (const name of COMMANDS) expect(all.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  const lines = COMMANDS.flatMap((name) => [
    [name, '--help'],
    ['help', name],
  ]);
  const [same, ...shown] = await helpTexts(place, [['--help'], ...lines]);
  expect(same).toEqual(all);
  for (const [i, name] of COMMANDS.entries()) {
    const [help = all, asked] = shown.slice(2 * i);
    expect(help, name).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') });
    if (name !== 'serve') expect(help.stdout, name).toMatch(new RegExp(`^ {2}colibri ${name} `, 'm'));
    if (name !== 'serve') expect(help.stdout, name).toContain('--json');
    expect(asked?.stdout, name).toBe(help.stdout);
    expectFits(help);
  }
});

test('a newcomer finds init, status and log before what they do not need yet', async () => {
  const { stdout } = await colibri(freshPlace(), ['--help']);
  const names = listedIn(stdout);
  for (const first of ['init', 'status', 'log']) expect(names.indexOf(first)).toBeLessThan(names.indexOf('verify'));
});

test('a mistake is one line and exit 1, never a verdict', async () => {
  for (const args of [['verfy'], ['verify', '--nope']]) {
    const ran = await colibri(freshPlace(), args);
    expect(ran, args.join(' ')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^colibri: .*\n$/),
    });
  }
});

test('the store is found as serve finds it: by the project of the working directory', async () => {
  const { place } = await usedStore();
  const project = join(place.dir, 'project');
  fs.mkdirSync(join(project, '.colibri'), { recursive: true });
  fs.mkdirSync(join(project, 'deep'));
  fs.copyFileSync(place.db, join(project, '.colibri', 'colibri.db'));
  const env = { COLIBRI_DB_PATH: '' };
  const found = { code: 0, stdout: expect.stringContaining(join(project, '.colibri', 'colibri.db')) };
  expect(await colibri(place, ['verify'], { env, cwd: join(project, 'deep') })).toMatchObject(found);
  expect(await colibri(place, ['verify', '--project', project], { env })).toMatchObject(found);
});

test('serve loads nothing of the other commands', async () => {
  const place = freshPlace();
  const list = join(place.dir, 'loaded');
  const preload = new URL('../children/list-modules.mjs', import.meta.url).pathname;
  const peer = serve(place, { env: { LOADED: list }, args: ['--import', preload, MAIN, 'serve'] });
  await peer.initialize();
  await peer.phase2();
  const files = loadedSources(list).map((path) => path.replace(/^.*\/src\//, ''));
  expect(files).toEqual(expect.arrayContaining(['cli/main.ts', 'start/serve.ts', 'start/phase2.ts']));
  expect(
    files.filter((file) => /^(cli\/(command\.|(?!screen\/).*\/)|verify\/(?!limits)|clients\/)/.test(file)),
  ).toEqual([]);
  await peer.end();
});
