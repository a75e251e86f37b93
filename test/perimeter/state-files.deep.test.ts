// The same rule under more of a crowd: approvals, init and its undo, killed commands, folders that cannot be written, full disks.
import '../support/deep-part.js';
import './state-files.test.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ClientHome } from '../support/client-home.js';
import { colibri } from '../support/command-line.js';
import { MAIN } from '../support/serve.js';
import { add, approvedOf, leftBehind, projectHome, range, serversOf } from './state-files.shared.js';

const names = (count: number): string[] => range(count).map((i) => `s${String(i).padStart(2, '0')}`);

const board = (servers: readonly string[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(servers.map((name) => [name, { command: 'node', args: [name] }])) });

test('20 servers that are added at once are all in the file, and all approved', { timeout: 120_000 }, async () => {
  const at = projectHome();
  const ran = await Promise.all(names(20).map((name) => add(at, name)));
  expect(ran.map(({ code, stderr }) => (code === 0 ? '' : stderr)).join('')).toBe('');
  expect(serversOf(at)).toEqual(names(20));
  expect(approvedOf(at)).toEqual(names(20));
  expect(leftBehind(at)).toEqual([]);
});

test('20 approvals at once are all kept', { timeout: 120_000 }, async () => {
  const at = projectHome();
  at.write('project/.colibri/switchboard.json', board(names(20)));
  const ran = await Promise.all(names(20).map((name) => at.run(['switchboard', 'approve', name, '--yes'])));
  expect(ran.map(({ code }) => code)).toEqual(names(20).map(() => 0));
  expect(approvedOf(at)).toEqual(names(20));
});

test('servers added and removed, approvals, init and its undo at once: every answer is true', {
  timeout: 180_000,
}, async () => {
  const at = projectHome();
  at.write('home/.cursor/mcp.json', '{"mcpServers": {"theirs": {"command": "x"}}}\n');
  at.write('project/.colibri/switchboard.json', board([...names(6), 'waits']));
  const ran = await Promise.all([
    ...range(8).map((i) => add(at, `new${i}`)),
    ...names(6).map((name) => at.run(['switchboard', 'remove', name])),
    at.run(['switchboard', 'approve', 'waits', '--yes']),
    at.run(['init', '--client', 'cursor', '--scope', 'user', '--yes']),
    at.run(['init', '--client', 'cursor', '--scope', 'user', '--agents', '--yes']),
    at.run(['init', '--undo', '--yes']),
  ]);
  expect(ran.map(({ code, stderr }) => (code === 0 ? '' : stderr)).join('')).toBe('');
  expect(serversOf(at)).toEqual([...range(8).map((i) => `new${i}`), 'waits'].toSorted());
  expect(approvedOf(at)).toEqual([...range(8).map((i) => `new${i}`), 'waits'].toSorted());
  // However they came after each other: what is left is taken back until nothing is, and the client has its file again.
  for (;;) {
    const undone = await at.run(['init', '--undo', '--yes']);
    expect(undone.code, undone.stderr).toBe(0);
    if (undone.stdout.includes('nothing to undo')) break;
  }
  expect(at.read('home/.cursor/mcp.json')).toBe('{"mcpServers": {"theirs": {"command": "x"}}}\n');
  expect(leftBehind(at)).toEqual([]);
});

/** Ended by SIGKILL after so long, unless it was faster. Returns whether it said that it was done. */
const killedAfter = async (at: ClientHome, args: readonly string[], afterMs: number): Promise<boolean> => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: at.project, env: at.place.env });
  let text = '';
  child.stdout.on('data', (more) => (text += more));
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await once(child, 'close');
  clearTimeout(timer);
  return text.includes('added ');
};

test('commands killed at any moment: what they said is there, every file can be read, the next one tidies up', {
  timeout: 300_000,
}, async () => {
  const at = projectHome();
  const alone = performance.now();
  await add(at, 'first');
  const oneMs = performance.now() - alone;
  const said = ['first'];
  for (const i of range(40)) {
    const name = `k${String(i).padStart(2, '0')}`;
    const moment = oneMs * (0.55 + Math.random() * 0.5);
    if (await killedAfter(at, ['switchboard', 'add', name, '--', 'node', `${name}.js`], moment)) said.push(name);
    if (!fs.existsSync(join(at.state, 'approvals.json'))) continue;
    expect(approvedOf(at)).toEqual(expect.arrayContaining(said));
    expect(serversOf(at)).toEqual(expect.arrayContaining(said));
  }
  expect(await add(at, 'last')).toMatchObject({ code: 0 });
  expect(serversOf(at)).toEqual(expect.arrayContaining([...said, 'last']));
  expect(leftBehind(at)).toEqual([]);
});

/** Root may write everywhere; this one may not. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)('folders that cannot be written are told in one line, and nothing is changed', async () => {
  const at = projectHome();
  const owned = (path: string): void => fs.chownSync(path, NOBODY, NOBODY);
  fs.chmodSync(at.place.dir, 0o755);
  for (const dir of [at.home, at.project, join(at.project, '.colibri')]) owned(dir);
  fs.mkdirSync(join(at.home, 'state'));
  const run = (args: readonly string[]) => colibri(at.place, args, { cwd: at.project, uid: NOBODY });
  const refused = await run(['switchboard', 'add', 'one', '--', 'node', 'one.js']);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^colibri: \S+state\/colibri cannot be written: .+ Nothing was changed\..*\n$/),
  });
  expect(fs.existsSync(join(at.project, '.colibri', 'switchboard.json'))).toBe(false);

  owned(join(at.home, 'state'));
  fs.chmodSync(join(at.project, '.colibri'), 0o555);
  const readOnly = await run(['switchboard', 'add', 'one', '--', 'node', 'one.js']);
  expect(readOnly).toMatchObject({ code: 1, stderr: expect.stringContaining('this user may not read or write it') });
  expect(leftBehind(at)).toEqual([]);
});

test('a full disk leaves the files as they were', async () => {
  const at = projectHome();
  at.write('project/.colibri/switchboard.json', board(names(60)));
  const before = at.read('project/.colibri/switchboard.json');
  const line = `ulimit -f 1; trap '' XFSZ; exec "$@"`;
  const args = ['-c', line, 'sh', process.execPath, MAIN, 'switchboard', 'add', 'more', '--', 'node', 'x'.repeat(900)];
  const child = spawn('/bin/sh', args, { cwd: at.project, env: at.place.env });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/larger than this system allows|disk is full/)]);
  expect(at.read('project/.colibri/switchboard.json')).toBe(before);
  expect(leftBehind(at)).toEqual([]);
});
