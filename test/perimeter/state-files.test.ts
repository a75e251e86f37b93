// Rule: files that several commands change are changed under one lock. Nothing that a command said it did is lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import type { ClientHome } from '../support/client-home.js';
import { MAIN, MODULES } from '../support/serve.js';
import { add, approvedOf, leftBehind, projectHome, range, serversOf } from './state-files.shared.js';

deepTest('servers that are added at once are all in the file, and all approved', { timeout: 60_000 }, async () => {
  const at = projectHome();
  const names = range(8).map((i) => `s${i}`);
  const ran = await Promise.all(names.map((name) => add(at, name)));
  expect(ran.map(({ code, stderr }) => (code === 0 ? '' : stderr)).join('')).toBe('');
  expect(serversOf(at)).toEqual(names);
  expect(approvedOf(at)).toEqual(names);
  expect(leftBehind(at)).toEqual([]);
});

test('the same server added three times at once is there once; two are told so', { timeout: 60_000 }, async () => {
  const at = projectHome();
  const ran = await Promise.all(range(3).map(() => add(at, 'same')));
  expect(ran.map(({ code }) => code).toSorted()).toEqual([0, 1, 1]);
  for (const { stderr } of ran.filter(({ code }) => code === 1)) expect(stderr).toContain('there already is a server');
  expect(serversOf(at)).toEqual(['same']);
});

/** Another command that has the lock and does not end. */
const holdingLock = async (at: ClientHome): Promise<() => Promise<void>> => {
  const lock = pathToFileURL(join(MODULES, 'start', 'state-lock.js')).href;
  const script = `import { holdingState } from ${JSON.stringify(lock)};
    await holdingState(process.argv[1], async () => {
      process.stdout.write('held');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, at.state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  at.place.onEnd(end);
  await once(child.stdout, 'data');
  return end;
};

deepTest('a command that waits says so after a moment, and goes on when the other was killed', async () => {
  const at = projectHome();
  const end = await holdingLock(at);
  let told = '';
  const child = spawn(process.execPath, [MAIN, 'switchboard', 'add', 'late', '--', 'node', 'late.js'], {
    cwd: at.project,
    env: at.place.env,
  });
  child.stderr.on('data', (text) => (told += text));
  while (!told.includes('waiting')) await once(child.stderr, 'data');
  expect(told).toContain('colibri: waiting for another colibri command that changes the same files …\n');
  expect(fs.existsSync(join(at.project, '.colibri', 'switchboard.json'))).toBe(false);
  await end();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(serversOf(at)).toEqual(['late']);
});

test('what a killed command left is removed by the next; a file that only looks like it stays', async () => {
  const at = projectHome();
  const [id, other] = ['0123456789ab', 'ba9876543210'];
  const board = join(at.project, '.colibri', 'switchboard.json');
  const half = at.write(`project/.colibri/switchboard.json.${id}.part`, '{"mcpServers": {');
  at.write(`home/state/colibri/draft-${id}`, half);
  const approvals = at.write(`home/state/colibri/approvals.json.${other}.part`, '{');
  at.write(`home/state/colibri/draft-${other}`, approvals);
  const shipped = at.write('project/.colibri/switchboard.json.aaaaaaaaaaaa.part', "the repository's own");
  expect(await add(at, 'next')).toMatchObject({ code: 0 });
  expect([half, approvals].filter((file) => fs.existsSync(file))).toEqual([]);
  expect(fs.readFileSync(shipped, 'utf8')).toBe("the repository's own");
  expect(fs.readdirSync(at.state).filter((name) => name.startsWith('draft-'))).toEqual([]);
  expect(JSON.parse(fs.readFileSync(board, 'utf8')).mcpServers).toHaveProperty('next');
});

test('approvals that are damaged are told, and neither they nor the file are written over', async () => {
  const at = projectHome();
  at.write('home/state/colibri/approvals.json', '{');
  const ran = await add(at, 'one');
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('approvals.json cannot be read or is damaged'),
  });
  expect(at.read('home/state/colibri/approvals.json')).toBe('{');
  expect(fs.existsSync(join(at.project, '.colibri', 'switchboard.json'))).toBe(false);
});
