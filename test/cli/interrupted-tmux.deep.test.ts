// Ctrl-C, wherever a command waits: it ends at once with the code that is promised, the terminal is as it was, and nothing is half written.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, json, usedStore, useMore } from '../support/command-line.js';
import { filesBelow, freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { hasTmux, TmuxScreen } from '../support/tmux.js';

vi.setConfig({ testTimeout: 240_000 });

const onTmux = test.skipIf(!hasTmux && process.env.CI === undefined);

/** Every file below the folder and what is in it, but for what reading a database and talking to processes touches. */
const filesIn = (dir: string): string =>
  filesBelow(dir)
    .filter((file) => !/(-wal|-shm|\.log|\.lock)$|\.instances\/|\.journal\/|viewer/.test(file))
    .sort()
    .map(
      (file) =>
        `${file} ${createHash('sha256')
          .update(fs.readFileSync(join(dir, file)))
          .digest('hex')}`,
    )
    .join('\n');

interface Waiting {
  readonly args: readonly string[];
  /** What is on the screen when the command waits. */
  readonly seen: RegExp;
  readonly code: number;
}

const interrupted = async (place: Place, { args, seen, code }: Waiting): Promise<void> => {
  const before = filesIn(place.dir);
  const screen = new TmuxScreen(place, args, 80);
  await screen.until(seen);
  screen.keys('C-c');
  await screen.ended(code);
  expect(screen.whole, args.join(' ')).not.toMatch(/^\s+at /m);
  expect(filesIn(place.dir), args.join(' ')).toBe(before);
};

const YES_OR_NO = /Type\s+yes\s+or\s+no:\s*$/;

onTmux('at a question', async () => {
  const { place, thought } = await usedStore();
  const { file } = json(await colibri(place, ['backup', '--json']));
  await useMore(place);
  await colibri(place, ['secret', 'set', 'KEY'], { input: 'value' });
  const rows: readonly Waiting[] = [
    { args: ['restore', file], seen: YES_OR_NO, code: 130 },
    { args: ['erase', thought, '--reason', 'x'], seen: YES_OR_NO, code: 130 },
    { args: ['prune', '--before', new Date().toISOString()], seen: YES_OR_NO, code: 130 },
    { args: ['checkpoint', '--rotate'], seen: YES_OR_NO, code: 130 },
    { args: ['secret', 'set', 'OTHER'], seen: /Value of OTHER/, code: 130 },
    { args: ['secret', 'rm', 'KEY'], seen: YES_OR_NO, code: 130 },
    { args: ['init', '--client', 'cursor'], seen: YES_OR_NO, code: 130 },
  ];
  for (const row of rows) await interrupted(place, row);
  fs.rmSync(place.db);
  for (const end of ['-wal', '-shm']) fs.rmSync(`${place.db}${end}`, { force: true });
  await interrupted(place, { args: ['restore', file], seen: YES_OR_NO, code: 130 });
  fs.copyFileSync(file, place.db);
  await interrupted(place, { args: ['accept-loss', 'the disk failed'], seen: YES_OR_NO, code: 130 });
});

onTmux('while something is shown live', async () => {
  const place = freshPlace();
  const entry = { ...fakeServer('plain'), tools: { ask: ['echo'] }, ask: { via: ['command'] } };
  writeBoard(place, { plain: entry });
  const peer = serve(place);
  await peer.initialize('claude-code');
  await peer.phase2();
  await untilHealthy(peer, 'plain');
  await peer.call('plain__echo', { text: 'x' });
  const { approvals } = json(await colibri(place, ['approvals', '--json']));
  const id: string = approvals[0].approval_id;
  const rows: readonly Waiting[] = [
    { args: ['log', '--follow'], seen: /plain__echo/, code: 0 },
    { args: ['logs', 'plain', '--follow'], seen: /STARTING → HEALTHY/, code: 0 },
    { args: ['approvals', '--watch'], seen: new RegExp(id), code: 0 },
    { args: ['switchboard'], seen: /q ends this screen/, code: 0 },
    { args: ['view', '--no-open'], seen: /Ctrl-C/, code: 0 },
    { args: ['approve', id], seen: /to answer:/, code: 130 },
    { args: ['deny', id], seen: /to answer:/, code: 130 },
  ];
  for (const row of rows) await interrupted(place, row);
  expect(json(await colibri(place, ['approvals', '--json'])).approvals).toMatchObject([{ state: 'asked' }]);
  await peer.end();
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

onTmux('before there is a store, and while servers are tried', async () => {
  const place = freshPlace();
  const project = join(place.dir, 'shop');
  fs.mkdirSync(join(project, '.git'), { recursive: true });
  fs.mkdirSync(join(place.home, '.cursor'), { recursive: true });
  fs.writeFileSync(
    join(place.home, '.cursor', 'mcp.json'),
    JSON.stringify({ mcpServers: { mute: { command: 'node', args: fakeServer('mute').args } } }),
  );
  place.env.COLIBRI_DB_PATH = '';
  const at = { ...place, dir: project };
  const before = filesIn(project);
  const waits = new TmuxScreen(at, ['log', '--follow'], 80);
  await waits.until(/Waiting for a client/);
  waits.keys('C-c');
  await waits.ended(0);
  const tries = new TmuxScreen(at, ['init', '--client', 'cursor', '--import'], 80);
  await tries.until(YES_OR_NO);
  tries.keys('yes', 'Enter');
  await tries.until(/waiting for 1 answer/);
  tries.keys('C-c');
  await tries.ended(130);
  expect(tries.whole).toContain('Nothing was changed.');
  expect(filesIn(project)).toBe(before);
});

onTmux('a servers file that waits for approval: no says so, Ctrl-C too', async () => {
  const place = freshPlace();
  const project = join(place.dir, 'shop');
  fs.mkdirSync(join(project, '.git'), { recursive: true });
  fs.mkdirSync(join(project, '.colibri'));
  const servers = { mcpServers: { ours: fakeServer('plain') } };
  fs.writeFileSync(join(project, '.colibri', 'switchboard.json'), JSON.stringify(servers));
  const at = { ...place, dir: project };
  const no = new TmuxScreen(at, ['switchboard', 'approve'], 80);
  await no.until(YES_OR_NO);
  no.keys('no', 'Enter');
  await no.ended(1);
  expect(no.whole).toContain('Nothing was approved');
  await interrupted(at, { args: ['switchboard', 'approve'], seen: YES_OR_NO, code: 130 });
});
