// What a person sees and presses: each screen on a real terminal of 50, 80 and 120 columns, and Ctrl-C ends it clean.
import { expect, test, vi } from 'vitest';
import { colibri, usedStore } from '../support/command-line.js';
import { expectFits } from '../support/command-output.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { hasTmux, TmuxScreen } from '../support/tmux.js';

vi.setConfig({ testTimeout: 180_000 });

const WIDTHS = [50, 80, 120];
const onEach = test.skipIf(!hasTmux && process.env.CI === undefined).each(WIDTHS);

const behind = async (place: Place) => {
  writeBoard(place, { plain: fakeServer('plain'), dead: { command: '/nowhere/at-all', args: [] } });
  const peer = serve(place);
  await peer.initialize('claude-code');
  await peer.phase2();
  await peer.until(() => /plain: STARTING → HEALTHY/.test(peer.stderr), 30_000);
  await peer.call('dead__x', {});
  await peer.call('dead__x', {});
  return peer;
};

onEach('the board at %i columns: who it serves, what was refused, and its keys', async (columns) => {
  const place = freshPlace();
  const peer = await behind(place);
  const screen = new TmuxScreen(place, ['switchboard'], columns);
  const first = await screen.until(/plain +HEALTHY[\s\S]*q ends|plain +HEALTHY[\s\S]*Arrows/);
  expectFits({ stdout: first }, columns);
  expect(first).toContain('of claude-code');
  expect(first).toMatch(/dead +UNHEALTHY/);
  expect(/p99 ms/.test(first)).toBe(columns >= 70);
  screen.keys('Down');
  const [, chosen = ''] = /▸ (\w+)/.exec(await screen.until(/▸ \w+/)) ?? [];
  screen.keys('Enter');
  await screen.until(/p99\s+ms\s+[–\d]/);
  if (chosen !== 'plain') screen.keys('Down');
  await screen.until(/▸ plain/);
  screen.keys('r');
  await peer.until(() => /plain: HEALTHY → UNHEALTHY, .*restarted it/.test(peer.stderr), 30_000);
  screen.keys('q');
  await screen.ended(0);
  const again = new TmuxScreen(place, ['switchboard'], columns);
  await again.until(/plain +\w+/);
  again.keys('C-c');
  await again.ended(0);
  await peer.end();
});

onEach('the log, an explanation, restore and secrets at %i columns', async (columns) => {
  const { place, receipts } = await usedStore();
  await colibri(place, ['backup']);
  const rows: readonly (readonly [string[], RegExp])[] = [
    [['log'], /task_u[\s\S]*ended with 0/],
    [['log', receipts[1]?.call.slice(0, 13) ?? ''], /GATHER[\s\S]*ended with 0/],
    [['restore'], /nothing\s+to accept[\s\S]*ended with 0/],
    [['secret', 'list'], /no secrets[\s\S]*ended with 0/],
    [['version'], /colibri \d[\s\S]*ended with 0/],
  ];
  for (const [args, seen] of rows) {
    const screen = new TmuxScreen(place, args, columns);
    expectFits({ stdout: await screen.until(seen) }, columns);
  }
});

onEach('a secret is typed at %i columns and not seen; Ctrl-C changes nothing', async (columns) => {
  const place = freshPlace();
  const screen = new TmuxScreen(place, ['secret', 'set', 'KEY'], columns);
  await screen.until(/Value of KEY/);
  screen.keys('hunter2hunter2', 'Enter');
  expect(await screen.until(/saved KEY[\s\S]*ended with 0/)).not.toContain('hunter2');
  const broken = new TmuxScreen(place, ['secret', 'set', 'OTHER'], columns);
  await broken.until(/Value of OTHER/);
  broken.keys('C-c');
  await broken.ended(130);
  expect((await colibri(place, ['secret', 'list'])).stdout.trim()).toBe('KEY');
});
