// What a person reads on a terminal of 50, 80 and 120 columns, command by command: no line is broken by the terminal, and the words are there.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, copyStore, json, replaceStore, usedStore, useMore } from '../support/command-line.js';
import { expectFits } from '../support/command-output.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { hasTmux, TmuxScreen } from '../support/tmux.js';
import { board, callId, ready, said } from '../words/words.shared.js';

vi.setConfig({ testTimeout: 240_000 });

const WIDTHS = [50, 80, 120];
const onEach = test.skipIf(!hasTmux && process.env.CI === undefined).each(WIDTHS);

/** Runs a command to its end; what was printed, without the line of the shell. */
const printed = async (place: Place, columns: number, args: readonly string[], code = 0): Promise<string> => {
  const screen = new TmuxScreen(place, args, columns);
  await screen.ended(code);
  const text = screen.whole.slice(0, screen.whole.lastIndexOf('ended with'));
  expectFits({ stdout: text }, columns);
  return text;
};

/** The words of a text, however its lines are broken. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');

/** Types an answer to the question, and returns all that was on the screen. */
const answered = async (
  place: Place,
  columns: number,
  args: readonly string[],
  typed: readonly (readonly [RegExp, string])[],
  code: number,
): Promise<string> => {
  const screen = new TmuxScreen(place, args, columns);
  for (const [question, answer] of typed) {
    await screen.until(question);
    screen.keys(answer, 'Enter');
  }
  await screen.ended(code);
  return flat(screen.whole);
};

const YES_OR_NO = /Type\s+yes\s+or\s+no:\s*$/;

onEach('secrets at %i columns: list and rm, which asks', async (columns) => {
  const place = freshPlace();
  await colibri(place, ['secret', 'set', 'SEARCH_KEY'], { input: 'hunter2hunter2' });
  expect(await printed(place, columns, ['secret', 'list'])).toMatch(/^SEARCH_KEY$/m);
  expect(await answered(place, columns, ['secret', 'rm', 'SEARCH_KEY'], [[YES_OR_NO, 'no']], 1)).toContain(
    'Nothing was removed.',
  );
  expect(await answered(place, columns, ['secret', 'rm', 'SEARCH_KEY'], [[YES_OR_NO, 'yes']], 0)).toContain(
    'removed SEARCH_KEY',
  );
});

onEach('a deleted and a rolled-back store at %i columns: said, restored, accepted', async (columns) => {
  const { place } = await usedStore();
  const older = copyStore(place);
  await useMore(place);
  const { file } = json(await colibri(place, ['backup', '--json']));
  await useMore(place);
  for (const end of ['', '-wal', '-shm']) fs.rmSync(`${place.db}${end}`, { force: true });
  expect(flat(await printed(place, columns, ['restore'], 10))).toContain('Backups beside it, newest first');
  expect(flat(await printed(place, columns, ['doctor'], 1))).toMatch(/was deleted|no store/);
  const asked = await answered(place, columns, ['restore', file], [[YES_OR_NO, 'yes']], 0);
  expect(asked).toMatch(/records since then would be lost[\s\S]*Restored:[\s\S]*Accepted/);
  replaceStore(place, older);
  expect(flat(await printed(place, columns, ['status']))).toContain('WENT BACK');
  const accepted = await answered(place, columns, ['accept-loss', 'the disk failed'], [[YES_OR_NO, 'yes']], 0);
  expect(accepted).toMatch(/older than its signed heads[\s\S]*Accepted: \d+ records lost/);
});

onEach('servers at %i columns: list, tools, route, restart, retry, check, add --scope', async (columns) => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') }, { routes: { 'x:y': ['plain/ecko', 'nowhere/echo'] } });
  const peer = serve(place);
  await peer.initialize('claude-code');
  await peer.phase2();
  await untilHealthy(peer, 'plain');
  expect(await printed(place, columns, ['switchboard', 'list'])).toMatch(/plain +named/);
  expect(await printed(place, columns, ['switchboard', 'tools', 'plain'])).toMatch(/plain__echo/);
  // Both wrong providers are named, and the tools that there are.
  const checked = flat(await printed(place, columns, ['switchboard', 'check', '--start'], 1));
  expect(checked).toMatch(/"plain" has no tool "ecko"/);
  expect(checked).toMatch(/there is no server "nowhere"/);
  expect(checked).toMatch(/plain has these tools: echo, fail/);
  expect(flat(await printed(place, columns, ['switchboard', 'retry', 'plain']))).toContain('Asked 1 process to try');
  expect(flat(await printed(place, columns, ['switchboard', 'restart', 'plain']))).toContain(
    '1 process to restart plain',
  );
  expect(flat(await printed(place, columns, ['switchboard', 'route', 'add', 'a:b', 'plain/echo']))).toContain('a:b');
  expect(flat(await printed(place, columns, ['switchboard', 'route', 'rm', 'a:b']))).toContain('removed the route');
  const scoped = await printed(place, columns, ['switchboard', 'add', 'z', '--scope', 'user', 'http://x/'], 1);
  expect(flat(scoped)).toContain('COLIBRI_SWITCHBOARD is set');
  await peer.end();
});

onEach('what failed, at %i columns: the log, one call, its explanation, a stale prefix', async (columns) => {
  const place = freshPlace();
  board(place);
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await ready(peer);
  const failed = await said(peer, 'fail', 'no row 7 in table orders');
  await peer.call('task_create', { title: 'Find the leak' });
  await peer.call('task_update', { task_id: 'T-0001', status: 'GATHER', note: 'looked' });
  await peer.end();
  expect(await printed(place, columns, ['log', '--failed'])).toContain('says__fail');
  expect(await printed(place, columns, ['log', '--outcome', 'is_error'])).toMatch(/is_error/);
  const whole = await printed(place, columns, ['log']);
  expect(/T-0001 → GATHER/.test(whole)).toBe(columns >= 64);
  expect(flat(await printed(place, columns, ['log', '--explain', callId(failed)]))).toContain(
    'no row 7 in table orders',
  );
  expect(flat(await printed(place, columns, ['log', callId(failed).slice(0, 13)]))).toContain(
    'no row 7 in table orders',
  );
  expect(flat(await printed(place, columns, ['log', '--kind', 'helth'], 1))).toContain('the nearest is health');
  expect(flat(await printed(place, columns, ['logs', 'says']))).toContain('colibri: STARTING → HEALTHY');
  const erased = await answered(place, columns, ['erase', '0', '--reason', 'x'], [], 1);
  expect(erased).toMatch(/record that keeps nothing/);
});

onEach(
  'small ones at %i columns: version, help of a subcommand, completion of a strange shell, doctor',
  async (columns) => {
    const { place } = await usedStore();
    expect(await printed(place, columns, ['version'])).toMatch(/^colibri \d/);
    expect(flat(await printed(place, columns, ['help', 'switchboard', 'route']))).toContain('add or remove a route');
    expect(flat(await printed(place, columns, ['completion', 'tcsh'], 1))).toContain('Shells: bash, zsh, fish');
    fs.writeFileSync(join(place.dir, 'switchboard.json'), '{\n "mcpServers": {\n "a": { "comand": "x" } } }');
    place.env.COLIBRI_SWITCHBOARD = join(place.dir, 'switchboard.json');
    const told = await printed(place, columns, ['doctor'], 1);
    expect(flat(told)).toContain('did you mean "command"?');
    expect(told).not.toContain('\\u000a');
  },
);

onEach('init at %i columns: in short, d shows every change, no changes nothing; --user', async (columns) => {
  const place = freshPlace();
  const project = join(place.dir, 'shop');
  fs.mkdirSync(join(project, '.git'), { recursive: true });
  const at = { ...place, dir: project };
  const args = ['init', '--client', 'cursor'];
  const text = await answered(
    at,
    columns,
    args,
    [
      [YES_OR_NO, 'd'],
      [/\+[\s\S]*\(d shows[\s\S]*Type\s+yes\s+or\s+no:\s*$/, 'no'],
    ],
    1,
  );
  expect(text.indexOf('In short:')).toBeLessThan(text.indexOf('+ '));
  expect(text).toContain('Nothing was changed.');
  expect(fs.existsSync(join(project, '.colibri'))).toBe(false);
  const own = await answered(at, columns, [...args, '--user'], [[YES_OR_NO, 'yes']], 0);
  expect(own).toContain('Nothing in the project is changed');
  expect(own).toContain('colibri init --undo --user');
  expect(fs.readdirSync(project)).toEqual(['.git']);
  await answered(at, columns, ['init', '--undo', '--user'], [[YES_OR_NO, 'yes']], 0);
});
