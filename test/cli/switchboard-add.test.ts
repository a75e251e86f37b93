// colibri switchboard add: a server whose command names files in the folder where it is typed starts there.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFolder } from '../../src/cli/switchboard/start-folder.js';
import { colibri } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';
import { temporaryFolder } from '../support/stores.js';

const SERVER = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'save', inputSchema: { type: 'object' } }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.() ?? {} }));
});
`;

test('it starts, whichever file it is added to, and the next step is named', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const project = fs.realpathSync(place.dir);
  const below = join(project, 'tools');
  fs.mkdirSync(join(project, '.colibri'));
  fs.mkdirSync(below);
  fs.writeFileSync(join(below, 'notes.mjs'), SERVER);
  const add = (cwd: string, ...args: string[]) => colibri(place, ['switchboard', 'add', ...args], { cwd });
  const added = await add(project, 'notes', '--', 'node', 'tools/notes.mjs');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toContain('colibri switchboard check --start');
  await add(below, 'deeper', '--', 'node', 'notes.mjs');
  await add(below, 'mine', '--scope', 'user', '--', 'node', './notes.mjs');
  await add(below, 'whole', '--', 'node', join(below, 'notes.mjs'));
  const { mcpServers } = JSON.parse(fs.readFileSync(join(project, '.colibri', 'switchboard.json'), 'utf8'));
  expect(mcpServers).toMatchObject({ notes: { cwd: '..' }, deeper: { cwd: '../tools' } });
  expect(mcpServers.whole.cwd).toBeUndefined();
  const checked = await colibri(place, ['switchboard', 'check', '--start'], { cwd: project });
  expect(checked.stdout.match(/answers/g), checked.stdout).toHaveLength(4);
  expect(checked.code).toBe(0);
  expect(checked.stdout).not.toContain('approved');
  mcpServers.notes.env = { MORE: '1' };
  mcpServers.deeper = { ...mcpServers.deeper, cwd: '../nowhere' };
  fs.writeFileSync(join(project, '.colibri', 'switchboard.json'), JSON.stringify({ mcpServers }));
  const changed = (await colibri(place, ['switchboard', 'check', '--start'], { cwd: project })).stdout;
  const told = /answers, .*; what was tried is the version that was approved: .* has changed since it was approved/g;
  expect(changed.match(told), changed).toHaveLength(2);
});

test('only a word that names something there decides', () => {
  const project = fs.realpathSync(temporaryFolder());
  const own = join(project, '.colibri');
  fs.mkdirSync(own);
  fs.writeFileSync(join(project, 'a.json'), '{}');
  const place = { file: join(own, 'switchboard.json'), origin: 'project' } as const;
  const decided = (...words: string[]) => startFolder(words, project, place);
  for (const words of [
    ['./run'],
    ['x', 'a.json'],
    ['x', '--config=a.json'],
    ['x', '.'],
    ['x', '../other'],
    ['a.json/'],
  ])
    expect(decided(...words), words.join(' ')).toBe('..');
  for (const words of [
    ['a.json'],
    ['npx', '-y', 'b'],
    ['x', '/etc/hosts'],
    ['x', '-a.json'],
    ['x', ''],
    ['x', '$' + '{HOME}/a.json'],
  ])
    expect(decided(...words), words.join(' ')).toBeUndefined();
  expect(startFolder(['x', 'switchboard.json', '.'], own, place)).toBeUndefined();
  const outside = fs.realpathSync(temporaryFolder());
  expect(startFolder(['x', '.'], outside, place)).toBe(outside);
  expect(startFolder(['x', '.'], project, { ...place, origin: 'user' })).toBe(project);
});
