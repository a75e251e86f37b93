// `colibri switchboard` as a person or a script runs it.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
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

test("check --start does not take the answer of a user's server for one of the project's unapproved server", async () => {
  const place = freshPlace();
  const { env, file } = project(place);
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { plain: { command: 'false' } } }));
  const own = join(place.home, 'config', 'colibri', 'switchboard.json');
  fs.mkdirSync(dirname(own), { recursive: true });
  fs.writeFileSync(own, JSON.stringify({ mcpServers: { plain: fakeServer('plain') } }));
  const started = await colibri(place, ['switchboard', 'check', '--start', '--json'], { env });
  expect(started.code).toBe(1);
  expect(json(started).servers).toMatchObject([
    { file: own, verdict: 'answers' },
    { file, verdict: 'not_approved' },
  ]);
});

deepTest('replay gives the recorded transitions, and finds one that was changed', async () => {
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
