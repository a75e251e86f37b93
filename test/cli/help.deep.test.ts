// What every command owes the person: help with examples and exit codes, errors in one line, nothing in colour that is
// not on a terminal.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, helpTexts, usedStore } from '../support/command-line.js';
import { expectFits, listedIn } from '../support/command-output.js';
import { freshPlace } from '../support/serve.js';
import { colourless, hasTerminals, onTerminal, withoutProgress } from '../support/terminal.js';

const NOBODY = 65_534;

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
  expect(await told('help', 'nope')).toBe(
    "colibri: there is no command 'nope'; the nearest is 'nodes'. See colibri --help",
  );
  expect(await told('frob', '--force')).toBe("colibri: there is no command 'frob'. See colibri --help");
  expect(await told('verify', '--frob')).toBe("colibri: unknown option '--frob'. See colibri verify --help");
  expect(await told('verify', '--jso')).toContain('Did you mean --json?');
  expect(await told('switchboard', 'chek')).toBe(
    "colibri: there is no command 'chek'; the nearest is 'check'. See colibri switchboard --help",
  );
});

test('every help text fits 80 columns', { timeout: 120_000 }, async () => {
  const place = freshPlace();
  const all = await colibri(place, ['--help']);
  const below = listedIn(all.stdout);
  expect(below).toEqual(expect.arrayContaining(['serve', 'verify', 'demo', 'switchboard']));
  const subs = ['check', 'approve', 'add', 'remove', 'replay'].map((name) => ['switchboard', name]);
  const paths = [...below.map((name) => [name]), ...subs];
  const texts = await helpTexts(
    place,
    paths.map((path) => [...path, '--help']),
  );
  expect(texts).toHaveLength(paths.length);
  for (const [i, help] of [all, ...texts].entries()) {
    expect(help.code, paths[i - 1]?.join(' ')).toBe(0);
    expectFits(help);
  }
});

test('modes without a store of their own, and settings that are not allowed', async () => {
  const { place } = await usedStore();
  for (const mode of ['TEST', 'MINIMAL']) {
    const ran = await colibri(place, ['checkpoint'], { env: { COLIBRI_MODE: mode } });
    expect(ran, mode).toMatchObject({ code: 1, stderr: expect.stringMatching(/There is no store to work on.*--db/) });
  }
  expect(await colibri(place, ['verify', '--db', place.db], { env: { COLIBRI_MODE: 'TEST' } })).toMatchObject({
    code: 0,
  });
  expect(await colibri(place, ['verify'], { env: { COLIBRI_MODE: 'sideways' } })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/COLIBRI_MODE="sideways" is not allowed/),
  });
  expect(await colibri(place, ['verify'], { env: { COLIBRI_DATABASE_URL: 'postgres://127.0.0.1:1/y' } })).toMatchObject(
    {
      code: 30,
      stdout: expect.stringContaining('cannot be reached'),
    },
  );
  expect(fs.readdirSync(place.env.TMPDIR ?? '')).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  'a store behind a folder that may not be entered is not called absent',
  async () => {
    const { place } = await usedStore();
    for (const dir of [place.dir, place.home]) fs.chmodSync(dir, 0o755);
    fs.chmodSync(dirname(place.db), 0o700);
    for (const args of [['status'], ['log'], ['tasks'], ['checkpoint'], ['prune', '--before', '1d', '--yes']]) {
      const ran = await colibri(place, args, { uid: NOBODY });
      expect(ran, args.join(' ')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/cannot be reached: EACCES/),
      });
      expect(ran.stderr, args.join(' ')).not.toContain('There is no store');
    }
    expect(await colibri(place, ['verify'], { uid: NOBODY })).toMatchObject({
      code: 30,
      stdout: expect.stringMatching(/cannot be reached: EACCES/),
    });
  },
);

test.runIf(hasTerminals)('a terminal gets lines that fit, broken at spaces; a pipe gets the same words', async () => {
  const { place } = await usedStore();
  // Other programs use the disk meanwhile.
  const words = (text: string): string[] =>
    colourless(withoutProgress(text))
      .replace(/[\d.]+\s+([GT]B\s+free)/, '$1')
      .split(/\s+/);
  for (const args of [['verify'], ['doctor'], ['checkpoint'], ['verify', '--db', '/nowhere/else'], ['restore', '-x']]) {
    const piped = await colibri(place, args);
    const shown = onTerminal(place, args, 60);
    expect(shown.code, args.join(' ')).toBe(piped.code);
    expect(words(shown.stdout), args.join(' ')).toEqual(words(`${piped.stdout}${piped.stderr}`));
    const tooWide = colourless(withoutProgress(shown.stdout))
      .split('\n')
      .filter((line) => line.length > 60 && line.trim().includes(' '));
    expect(tooWide, args.join(' ')).toEqual([]);
  }
});

test.skipIf(!hasTerminals).each([50, 80, 120])(
  'every help at %i columns: no line is broken by the terminal',
  {
    timeout: 240_000,
  },
  (columns) => {
    const place = freshPlace();
    const helpOf = (path: readonly string[]): string[] => {
      const told = onTerminal(place, [...path, '--help'], columns);
      const text = colourless(told.stdout);
      expect(told.code, path.join(' ')).toBe(0);
      expectFits({ stdout: text }, columns);
      // What stood in columns is still found: a description beside or below its command.
      expect(text, path.join(' ')).toContain('--help');
      return listedIn(text).filter((name) => name !== 'help');
    };
    for (const name of helpOf([]))
      for (const sub of helpOf([name])) for (const third of helpOf([name, sub])) helpOf([name, sub, third]);
  },
);
