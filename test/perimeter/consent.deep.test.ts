// More ways to get more than was agreed to: old approvals, copies, links, broken files, defaults, routes, commands that approve.
import '../support/deep-part.js';
import './consent.test.js';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer } from '../support/switchboard-file.js';
import { marks, type Project, project, stateFile, toolNames, userFile, writeUser } from './consent.shared.js';
import { countingServer } from './counting-server.js';

/** The digest of approvals before they covered more than the connection. */
const oldDigest = (written: object): string => createHash('sha256').update(JSON.stringify(written)).digest('hex');

const approveAsBefore = (place: Place, { file }: Project, server: string, written: object): void => {
  const approved = [{ digest: oldDigest(written), server, file, at: '2026-01-01T00:00:00.000Z' }];
  fs.mkdirSync(join(place.home, 'state', 'colibri'), { recursive: true });
  fs.writeFileSync(stateFile(place, 'approvals.json'), JSON.stringify({ version: 1, approved }), { mode: 0o600 });
};

describe('an approval from before approvals covered what a server may do', () => {
  test('starts the server without what its keys grant, and says so until it is renewed', {
    timeout: 60_000,
  }, async () => {
    const place = freshPlace();
    const a = project(place);
    const seen = join(place.dir, 'seen');
    const args = ['-c', `echo "$SECRET_OF_MINE" > ${seen}; sleep 9`];
    const connection = { args, command: 'sh', cwd: join(a.dir, '.colibri'), env: {}, inheritEnv: 'all', kind: 'stdio' };
    a.write({ mcpServers: { old: { command: 'sh', args, inheritEnv: 'all' } } });
    approveAsBefore(place, a, 'old', connection);
    const peer = serve(place, { env: { ...a.env, SECRET_OF_MINE: 'leaked' } });
    await peer.initialize();
    await eventually('it is started', () => fs.existsSync(seen) && fs.readFileSync(seen, 'utf8') !== '');
    expect(fs.readFileSync(seen, 'utf8')).toBe('\n');
    expect(peer.stderr).toContain('approved before approvals said what a server may do');
    expect((await a.run('switchboard', 'check')).stdout).toContain('inheritEnv');
    expect((await a.run('doctor')).stdout).toContain('approved before approvals said');
    fs.rmSync(seen);
    await a.run('switchboard', 'approve', '--yes');
    await eventually('it has all of the environment', () => {
      return fs.existsSync(seen) && fs.readFileSync(seen, 'utf8') === 'leaked\n';
    });
    await peer.end();
  });

  test('counts in its own project only', async () => {
    const place = freshPlace();
    const server = await countingServer();
    const [a, b] = [project(place, 'a'), project(place, 'b')];
    b.write({ mcpServers: { git: { url: server.url } } });
    approveAsBefore(place, a, 'git', { headers: {}, kind: 'http', url: server.url });
    expect(json(await b.run('switchboard', 'check', '--json')).servers).toMatchObject([{ verdict: 'not_approved' }]);
    a.write({ mcpServers: { git: { url: server.url } } });
    expect(json(await a.run('switchboard', 'check', '--json')).servers).toMatchObject([{ verdict: 'ready' }]);
  });
});

describe('an approval belongs to a project by its real path', () => {
  test('a copy of the repository is another project, a link to it is not', async () => {
    const place = freshPlace();
    const a = project(place, 'a');
    a.write({ mcpServers: { git: { url: 'http://127.0.0.1:9/mcp' } } });
    await a.run('switchboard', 'approve', '--yes');
    fs.cpSync(a.dir, join(place.dir, 'copy'), { recursive: true });
    const copy = project(place, 'copy');
    expect(json(await copy.run('switchboard', 'check', '--json')).servers).toMatchObject([{ verdict: 'not_approved' }]);
    fs.symlinkSync(a.dir, join(place.dir, 'link'));
    const link = project(place, 'link');
    expect(json(await link.run('switchboard', 'check', '--json')).servers).toMatchObject([{ verdict: 'ready' }]);
  });
});

describe('a broken file of the project', () => {
  test.each([
    ['cut off', '{"mcpServers": {'],
    ['with half of a surrogate pair', '{"mcpServers": {"x": {"command": "x", "args": ["\\ud800"]}}}'],
    [
      'with such a route',
      '{"mcpServers": {"x": {"command": "x"}}, "routes": {"r": [{"server": "x", "tool": "t", "arguments": {"a": "\\udfff"}}]}}',
    ],
    ['of another kind', '[]'],
  ])("%s does not keep the user's own servers from starting, and is named", { timeout: 30_000 }, async (_how, text) => {
    const place = freshPlace();
    const a = project(place);
    writeUser(place, { mcpServers: { plain: fakeServer('plain') } });
    fs.writeFileSync(a.file, text);
    const peer = serve(place, { env: a.env });
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
    expect(peer.stderr).toContain(a.file);
    expect(await toolNames(peer)).toContain('plain__echo');
    await peer.end();
  });

  test('keeps what it started, while the other file is followed', { timeout: 60_000 }, async () => {
    const place = freshPlace();
    const a = project(place);
    a.write({ mcpServers: { ours: fakeServer('plain') } });
    await a.run('switchboard', 'approve', '--yes');
    const peer = serve(place, { env: a.env });
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('ours: STARTING → HEALTHY'), 20_000);
    fs.writeFileSync(a.file, '{');
    await peer.until(() => peer.stderr.includes(`${a.file}:1:2`), 20_000);
    writeUser(place, { mcpServers: { mine: fakeServer('plain') } });
    await peer.until(() => peer.stderr.includes('mine: STARTING → HEALTHY'), 20_000);
    expect(await toolNames(peer)).toEqual(expect.arrayContaining(['ours__echo', 'mine__echo']));
    fs.writeFileSync(userFile(place), '{');
    await peer.until(() => peer.stderr.includes(`${userFile(place)}:1:2`), 20_000);
    expect(await toolNames(peer)).toEqual(expect.arrayContaining(['ours__echo', 'mine__echo']));
    const [board] = json(await a.run('switchboard', '--json')).processes;
    expect(board.file.problems.join()).toContain(userFile(place));
    await peer.end();
  });
});

describe("a route of a project's file", () => {
  test("cannot lead to the user's own servers unseen", { timeout: 30_000 }, async () => {
    const place = freshPlace();
    const a = project(place);
    writeUser(place, { mcpServers: { mine: fakeServer('plain') } });
    const route = [{ server: 'mine', tool: 'echo', arguments: { evil: 'yes' } }];
    a.write({ mcpServers: {}, routes: { 'search:internet': route } });
    const peer = serve(place, { env: a.env });
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('mine: STARTING → HEALTHY'), 20_000);
    expect(await toolNames(peer)).not.toContain('search__internet');
    await peer.end();
  });
});

describe('commands that approve what they write', () => {
  test('approve nothing that the file adds by its defaults or routes', { timeout: 120_000 }, async () => {
    const place = freshPlace();
    for (const [name, more] of Object.entries({
      env: { defaults: { env: { NODE_OPTIONS: '--require ./evil.cjs' } } },
      all: { defaults: { inheritEnv: 'all' } },
      check: { defaults: { health: { capability: { tool: 'drop' } }, tools: { readOnly: ['*'] } } },
      route: { routes: { 'find:it': [{ server: 'new', tool: 'drop' }] } },
      cwd: { defaults: { cwd: '/tmp' } },
    })) {
      const a = project(place, name);
      a.write({ mcpServers: {}, ...more });
      const added = await a.run('switchboard', 'add', 'new', '--', 'node', 'server.js');
      expect([name, added.code, added.stderr.includes('colibri switchboard approve')]).toEqual([name, 0, true]);
      const { servers } = json(await a.run('switchboard', 'check', '--json'));
      expect(servers).toMatchObject([{ server: 'new', verdict: 'not_approved' }]);
    }
    const plain = project(place, 'plain');
    plain.write({ mcpServers: {}, defaults: { timeoutMs: 9_000 } });
    await plain.run('switchboard', 'add', 'new', '--', 'node', 'server.js');
    expect(json(await plain.run('switchboard', 'check', '--json')).servers).toMatchObject([{ verdict: 'ready' }]);
    await plain.run('switchboard', 'remove', 'new');
    expect(fs.readFileSync(stateFile(place, 'approvals.json'), 'utf8')).not.toContain('server.js');
  });
});

test('a server whose command was changed goes on after a restart as it was approved', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  const a = project(place);
  const [good, evil] = [join(place.dir, 'good'), join(place.dir, 'evil')];
  a.write({ mcpServers: { it: { ...marks(good), env: { KEY: `\${secret:KEY}` } } } });
  fs.mkdirSync(join(place.home, 'state', 'colibri'), { recursive: true });
  const secrets = JSON.stringify({ version: 1, secrets: { KEY: 'the value itself' } });
  fs.writeFileSync(stateFile(place, 'secrets.json'), secrets, { mode: 0o600 });
  await a.run('switchboard', 'approve', '--yes');
  a.write({ mcpServers: { it: marks(evil) } });
  const peer = serve(place, { env: a.env });
  await peer.initialize();
  await eventually('as approved', () => fs.existsSync(good));
  await sleep(500);
  expect(fs.existsSync(evil)).toBe(false);
  expect((await a.run('switchboard', 'check')).stdout).toContain('has changed since it was approved');
  expect((await a.run('doctor')).stdout).toContain('has changed since it was approved');
  const kept = fs.readFileSync(stateFile(place, 'approvals.json'), 'utf8');
  expect(kept).toContain(`\${secret:KEY}`);
  expect(kept).not.toContain('the value itself');
  expect(fs.statSync(stateFile(place, 'approvals.json')).mode & 0o777).toBe(0o600);
  await peer.end();
});

test("a project's server that is not approved never takes the place of the user's own, one that is does", async () => {
  const place = freshPlace();
  const [mine, theirs] = [join(place.dir, 'mine'), join(place.dir, 'theirs')];
  const a = project(place);
  writeUser(place, { mcpServers: { git: marks(mine) } });
  a.write({ mcpServers: { git: marks(theirs) } });
  const peer = serve(place, { env: a.env });
  await peer.initialize();
  await eventually("the user's own", () => fs.existsSync(mine));
  await sleep(500);
  expect(fs.existsSync(theirs)).toBe(false);
  await a.run('switchboard', 'approve', '--yes');
  await eventually("the project's", () => fs.existsSync(theirs));
  await peer.end();
});

describe('naming a file is no consent', () => {
  test('neither on the command line nor by a variable, by whatever path', { timeout: 60_000 }, async () => {
    const place = freshPlace();
    const [a, here] = [project(place, 'a'), project(place, 'here')];
    const mark = join(place.dir, 'mark');
    a.write({ mcpServers: { evil: marks(mark) } });
    const link = join(place.dir, 'my-own.json');
    fs.symlinkSync(a.file, link);
    for (const named of [a.file, link, join(place.dir, 'here', '..', 'a', '.colibri', 'switchboard.json')]) {
      const checked = await here.run('switchboard', 'check', named, '--start', '--json');
      expect([named, json(checked).servers[0].verdict]).toEqual([named, 'not_approved']);
    }
    const peer = serve(place, { env: { ...here.env, COLIBRI_SWITCHBOARD: link } });
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('evil comes with this project'));
    await sleep(500);
    expect(fs.existsSync(mark)).toBe(false);
    await peer.end();
  });
});
