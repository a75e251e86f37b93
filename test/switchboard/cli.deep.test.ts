// `colibri switchboard` as a person or a script runs it.
import '../support/deep-part.js';
import './cli.test.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json, stateDir } from '../support/command-line.js';
import { freshPlace, MAIN, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { hasTerminals } from '../support/terminal.js';
import { project } from './cli.shared.js';

test('what is neither a command nor a URL of MCP is not added', async () => {
  const place = freshPlace();
  const { env, file } = project(place);
  for (const url of ['ftp://x.example/y', 'WS://x.example', 'file:///etc/passwd']) {
    const refused = await colibri(place, ['switchboard', 'add', 'x', url], { env });
    expect(refused, url).toMatchObject({ code: 1, stderr: expect.stringContaining('http or https') });
  }
  expect(fs.existsSync(file)).toBe(false);
  expect((await colibri(place, ['switchboard', 'add', 'x', 'HTTP://127.0.0.1:1/mcp'], { env })).code).toBe(0);
  expect(JSON.parse(fs.readFileSync(file, 'utf8')).mcpServers.x).toEqual({ url: 'HTTP://127.0.0.1:1/mcp' });
});

test('a file with an error is not applied at all, and nothing in it is called ready or on', async () => {
  const place = freshPlace();
  const servers = { plain: fakeServer('plain'), off: { command: 'node', disabled: true } };
  const routes = { 'do:it': ['plain/echo'] };
  const file = writeBoard(place, { ...servers, bad: { command: 'node', nonsense: 1 } }, { routes });
  expect((await colibri(place, ['switchboard', 'check'])).stdout).toMatch(/^ {2}warning: .*nonsense/m);
  writeBoard(place, { ...servers, bad: { args: ['x'] } }, { routes });
  const checked = await colibri(place, ['switchboard', 'check']);
  expect(checked.code).toBe(1);
  const [head, ...lines] = checked.stdout.trimEnd().split('\n');
  expect(head).toBe(file);
  expect(lines[0]).toMatch(/^ {2}error: .*bad/);
  expect(lines[1]).toMatch(/^ {2}None of this file is applied .*: servers and routes stay as they were\.$/);
  expect(checked.stdout).toContain('  plain: not_applied\n');
  expect(checked.stdout).toContain('  off: disabled\n');
  expect(checked.stdout).toMatch(/^ {2}route do:it: not_applied/m);
  const { servers: told, routes: routed } = json(await colibri(place, ['switchboard', 'check', '--start', '--json']));
  expect([...told, ...routed].map(({ verdict }: { verdict: string }) => verdict)).not.toContain('ready');
  expect(routed).toMatchObject([{ verdict: 'not_applied' }]);
});

test('a program or a folder that is not there is seen without starting anything', async () => {
  const place = freshPlace();
  const bin = join(place.dir, 'bin');
  fs.mkdirSync(bin);
  for (const [name, mode] of [
    ['there', 0o755],
    ['text', 0o644],
  ] as const) {
    fs.writeFileSync(join(bin, name), '#!/bin/sh\n');
    fs.chmodSync(join(bin, name), mode);
  }
  writeBoard(place, {
    gone: { command: 'no-such-program' },
    path: { command: 'there', env: { PATH: bin } },
    relative: { command: './bin/there', cwd: place.dir },
    below: { command: 'there', cwd: place.dir, env: { PATH: 'bin' } },
    text: { command: join(bin, 'text') },
    folder: { command: 'node', cwd: join(place.dir, 'nowhere') },
    off: { command: 'no-such-program', disabled: true },
  });
  const checked = await colibri(place, ['switchboard', 'check', '--json']);
  expect(checked.code).toBe(1);
  const verdicts = json(checked).servers.map((one: { server: string; verdict: string }) => [one.server, one.verdict]);
  expect(Object.fromEntries(verdicts)).toEqual({
    gone: 'not_found',
    path: 'ready',
    relative: 'ready',
    below: 'ready',
    text: 'not_found',
    folder: 'not_found',
    off: 'disabled',
  });
  const text = (await colibri(place, ['switchboard', 'check'])).stdout;
  expect(text).toContain('gone: not_found, there is no program no-such-program on the PATH');
  expect(text).toContain('folder: not_found, there is no folder');
  const { findings } = json(await colibri(place, ['doctor', '--json']));
  const told = findings.filter(({ check }: { check: string }) => check === 'switchboard');
  expect(told.map(({ state, message }: { state: string; message: string }) => `${state} ${message}`)).toEqual([
    'warning server gone cannot be started: there is no program no-such-program on the PATH',
    expect.stringMatching(/^warning server text cannot be started: there is no program .*text$/),
    expect.stringMatching(/^warning server folder cannot be started: there is no folder /),
  ]);
  expect(await colibri(place, ['switchboard', 'add', 'later', 'not-yet-installed', 'x'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^added later to /),
    stderr: 'colibri: later cannot be started yet: there is no program not-yet-installed on the PATH.\n',
  });
  expect((await colibri(place, ['switchboard', 'add', '--help'])).stdout).not.toContain('default');
});

test('routes that name a server which is removed are named: they go off', async () => {
  const place = freshPlace();
  const one = fakeServer('plain');
  const routes = { first: ['a/echo', 'b/echo'], second: ['b/echo'], third: ['c/echo'] };
  writeBoard(place, { a: one, b: one, c: one }, { routes });
  const removed = await colibri(place, ['switchboard', 'remove', 'b']);
  expect(removed.stdout.split('\n').slice(1)).toEqual([
    'route first is switched off: it names b; correct or remove the route',
    'route second is switched off: it names b; correct or remove the route',
    '',
  ]);
  const checked = json(await colibri(place, ['switchboard', 'check', '--json'])).routes;
  expect(checked.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['off', 'off', 'on']);
  expect(json(await colibri(place, ['switchboard', 'remove', 'a', '--json']))).toMatchObject({ routes_off: ['first'] });
});

test('what is removed is not approved any more; the same connection under another name still is', async () => {
  const place = freshPlace();
  const { env } = project(place);
  const run = (...args: string[]) => colibri(place, ['switchboard', ...args], { env });
  const approved = () =>
    JSON.parse(fs.readFileSync(join(stateDir(place), 'approvals.json'), 'utf8')).approved.map(
      ({ server }: { server: string }) => server,
    );
  await run('add', 'one', 'http://127.0.0.1:1/mcp');
  await run('add', 'two', 'http://127.0.0.1:2/mcp');
  await run('remove', 'one');
  expect(approved()).toEqual(['two']);
  await run('add', 'again', 'http://127.0.0.1:2/mcp');
  await run('remove', 'two');
  expect(json(await run('check', '--json')).servers).toMatchObject([{ server: 'again', verdict: 'ready' }]);
  await run('remove', 'again');
  expect(approved()).toEqual([]);
});

test.runIf(hasTerminals)(
  'live: on a screen of its own, which Ctrl-C and SIGTERM give back',
  { timeout: 60_000 },
  async () => {
    const place = freshPlace();
    await session(place, (peer) => peer.call('server_ping', {}));
    const enter = '\u001b[?1049h';
    const leave = '\u001b[?1049l';
    for (const how of ['Ctrl-C', 'SIGTERM']) {
      // The shell becomes the command, so the pid that it says is the command's.
      const line = `echo "pid $$"; exec '${process.execPath}' '${MAIN}' switchboard`;
      const env = { ...place.env, TERM: 'xterm' };
      const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: place.dir, env });
      let [text, told] = ['', false];
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (told || !text.includes('q ends this screen')) return;
        told = true;
        if (how === 'Ctrl-C') child.stdin.write('\u0003');
        else process.kill(Number(/pid (\d+)/.exec(text)?.[1]), 'SIGTERM');
      });
      const [code] = await once(child, 'close');
      expect(code, how).toBe(0);
      expect(text.indexOf(enter), how).toBeGreaterThan(-1);
      expect(text.indexOf(enter), how).toBeLessThan(text.indexOf('No process with a switchboard'));
      expect(text.indexOf(leave), how).toBeGreaterThan(text.indexOf('q ends this screen'));
      expect(text, how).not.toContain('\u001b[2J');
    }
  },
);

test('a broken file is told with line and key, a missing variable by name', async () => {
  const place = freshPlace();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a file writes it
  writeBoard(place, { a: { command: 'x', env: { K: '${NOT_SET}' } } });
  const held = await colibri(place, ['switchboard', 'check']);
  expect(held).toMatchObject({ code: 1, stdout: expect.stringContaining('not set: NOT_SET') });
  fs.writeFileSync(place.env.COLIBRI_SWITCHBOARD ?? '', '{\n  "mcpServers": { "a": { "comand": "x" } }\n}');
  const broken = await colibri(place, ['switchboard', 'check']);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/switchboard\.json:2:\d+ mcpServers\.a/);
  expect(broken.stdout).toContain('did you mean "command"?');
});

test('what a server says on its way out is for people: a model reads our words alone', {
  timeout: 30_000,
}, async () => {
  const place = freshPlace();
  writeBoard(place, { dead: fakeServer('dead') });
  await session(place, async (peer) => {
    await peer.until(() => /dead: .*UNHEALTHY/.test(peer.stderr));
    const called = await peer.call('router_call', { server: 'dead', tool: 'echo', arguments: {} });
    const stats = await peer.call('router_stats', {});
    expect(JSON.stringify(stats.result)).toContain('it ended while it was starting: exited with code 3');
    for (const { result } of [called, stats]) expect(JSON.stringify(result)).not.toContain('licence');
    expect((await colibri(place, ['switchboard', '--json'])).stdout).toContain('it said: Error: no licence found');
  });
  const records = (await colibri(place, ['log', '--kind', 'health', '--json'])).stdout;
  expect(records).toContain('no licence found');
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
