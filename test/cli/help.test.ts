// What every command owes the person: help with examples and exit codes, errors in one line, nothing in colour that is
// not on a terminal.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, helpTexts, usedStore } from '../support/command-line.js';
import { expectFits, listedIn } from '../support/command-output.js';
import { freshPlace, MAIN } from '../support/serve.js';

const COMMANDS = [
  'serve',
  'status',
  'log',
  'tasks',
  'verify',
  'prove',
  'checkpoint',
  'restore',
  'erase',
  'prune',
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

test('mistakes are one line and exit 1, never a verdict', async () => {
  const place = freshPlace();
  const mistakes = [
    ['verfy'],
    ['verify', '--nope'],
    ['help', 'nope'],
    ['switchboard', 'nope'],
    ['verify', 'a', 'b'],
    ['prove'],
    ['checkpoint', '--to'],
    ['erase', 'x'],
    ['restore', '--db'],
    ['verify', '--project', '/nowhere'],
  ];
  for (const args of mistakes) {
    const ran = await colibri(place, args);
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr.trim().split('\n'), args.join(' ')).toHaveLength(1);
    expect(ran.stderr, args.join(' ')).not.toContain('    at ');
    expect(ran.stderr, args.join(' ')).toMatch(/^colibri: /);
  }
  const told = async (...args: string[]): Promise<string> => (await colibri(place, args)).stderr.trim();
  expect(await told('verfy')).toBe("colibri: there is no command 'verfy'; the nearest is 'verify'. See colibri --help");
  expect(await told('help', 'nope')).toBe("colibri: there is no command 'nope'. See colibri --help");
  expect(await told('frob', '--force')).toBe("colibri: there is no command 'frob'. See colibri --help");
  expect(await told('verify', '--frob')).toBe("colibri: unknown option '--frob'. See colibri verify --help");
  expect(await told('verify', '--jso')).toContain('Did you mean --json?');
  expect(await told('switchboard', 'chek')).toBe(
    "colibri: there is no command 'chek'; the nearest is 'check'. See colibri switchboard --help",
  );
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

test('serve loads nothing of the other commands', () => {
  const folder = join(MAIN, '..');
  const early = ['main.js', 'command.js', 'serve.js'].map((file) => fs.readFileSync(join(folder, file), 'utf8'));
  for (const text of early) expect(text).not.toMatch(/^import .*'\.\.\/(ledger|store|verify|phase2)/m);
});
