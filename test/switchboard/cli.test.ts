// `colibri switchboard` as a person or a script runs it.
import * as fs from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshPlace, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { project } from './cli.shared.js';

test('add, check, remove; what a person adds is approved', async () => {
  const place = freshPlace();
  const { env, file } = project(place);
  expect((await colibri(place, ['switchboard', 'check'], { env })).stderr).toContain('switchboard add');
  const [script = ''] = fakeServer('plain').args as string[];
  const added = await colibri(place, ['switchboard', 'add', 'plain', '-e', 'A=b=c', '--', 'node', script], { env });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('added plain to') });
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
    mcpServers: { plain: { command: 'node', args: [script], env: { A: 'b=c' } } },
  });
  await colibri(place, ['switchboard', 'add', 'web', 'http://127.0.0.1:1/mcp'], { env });
  const checked = json(await colibri(place, ['switchboard', 'check', '--json'], { env }));
  expect(checked).toMatchObject({
    origin: 'project',
    errors: [],
    servers: [
      { server: 'plain', verdict: 'ready' },
      { server: 'web', verdict: 'ready', reached: 'http://127.0.0.1:1/mcp' },
    ],
  });
  const started = await colibri(place, ['switchboard', 'check', '--start', '--json'], { env });
  expect(started.code).toBe(1);
  expect(json(started).servers).toMatchObject([
    { verdict: 'answers', detail: expect.stringContaining('5 tools') },
    { verdict: 'fails' },
  ]);
  expect((await colibri(place, ['switchboard', 'add', 'plain', 'x'], { env })).stderr).toContain('already');
  expect((await colibri(place, ['switchboard', 'remove', 'web'], { env })).code).toBe(0);
  expect((await colibri(place, ['switchboard', 'remove', 'web'], { env })).stderr).toContain('Nothing was changed');
  expect(Object.keys(JSON.parse(fs.readFileSync(file, 'utf8')).mcpServers)).toEqual(['plain']);
});

test('the board shows every live process and none that is gone', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain'), dead: fakeServer('dead') });
  await session(place, async (first) => {
    await session(place, async (second) => {
      for (const peer of [first, second]) {
        await peer.until(() => /plain: STARTING → HEALTHY/.test(peer.stderr) && /dead: .*UNHEALTHY/.test(peer.stderr));
      }
      await second.call('plain__echo', {});
      const { processes } = json(await colibri(place, ['switchboard', '--json']));
      expect(processes.map(({ pid }: { pid: number }) => pid).sort()).toEqual([first.pid, second.pid].sort());
      const text = (await colibri(place, ['switchboard'], { env: { COLUMNS: '80' } })).stdout;
      expect(text).toMatch(/plain +HEALTHY/);
      expect(text).toMatch(/dead +UNHEALTHY/);
      expect(text).toMatch(/^ {2}dead: exited: /m);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    });
    const { processes } = json(await colibri(place, ['switchboard', '--json']));
    expect(processes).toHaveLength(1);
  });
  expect((await colibri(place, ['switchboard'])).stdout).toContain('No process with a switchboard');
});

test('replay gives the recorded transitions, and finds one that was changed', async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  await session(place, (peer) => peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY')));
  const good = await colibri(place, ['switchboard', 'replay', '--json']);
  expect(good.code).toBe(0);
  expect(json(good)).toEqual({ transitions: 1, differences: [] });
  const db = new Database(place.db);
  db.exec(`UPDATE actions SET body = replace(body, '"to":"HEALTHY"', '"to":"QUARANTINE"') WHERE kind = 'health'`);
  db.close();
  const bad = await colibri(place, ['switchboard', 'replay', '--json']);
  expect(bad.code).toBe(1);
  expect(json(bad).differences).toMatchObject([{ server: 'plain', recorded: 'QUARANTINE', replayed: 'HEALTHY' }]);
});
