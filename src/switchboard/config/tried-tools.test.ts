import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HeldState } from '../../files/held-file.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { forgetTried, keepTried, triedDir, triedFileName, triedTools } from './tried-tools.js';

const fresh = (): HeldState => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-tried-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  return new HeldState(dir);
};

const list = (server: string, connection = 'c1', tools = [{ name: 'a', inputSchema: { type: 'object' } }]) => {
  return { server, connection, tools };
};

test('a list counts for its server and its connection, and only the owner may read it', () => {
  const held = fresh();
  keepTried(held, [list('one'), list('../../two')]);
  expect(triedTools(held.dir, list('one'))).toEqual(list('one').tools);
  expect(triedTools(held.dir, list('../../two'))).toEqual(list('two').tools);
  expect(triedTools(held.dir, list('one', 'c2'))).toBeUndefined();
  expect(triedTools(held.dir, list('two'))).toBeUndefined();
  const files = fs.readdirSync(triedDir(held.dir));
  expect(files).toHaveLength(2);
  for (const file of files) expect(fs.statSync(join(triedDir(held.dir), file)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(triedDir(held.dir)).mode & 0o777).toBe(0o700);
});

test.each([
  ['no JSON', '{'],
  ['nothing', 'null'],
  ['the list of another server', JSON.stringify(list('two'))],
  ['no list', JSON.stringify({ ...list('one'), tools: {} })],
  ['a tool without a name', JSON.stringify({ ...list('one'), tools: [{}] })],
  ['a tool that is none', JSON.stringify({ ...list('one'), tools: [null] })],
])('a file with %s counts as absent', (_, text) => {
  const held = fresh();
  keepTried(held, [list('one')]);
  fs.writeFileSync(join(triedDir(held.dir), triedFileName(list('one'))), text);
  expect(triedTools(held.dir, list('one'))).toBeUndefined();
});

test('a list that a store would not keep is not kept here either', () => {
  const held = fresh();
  const long = [{ name: 'a', description: 'x'.repeat(SWITCHBOARD_LIMITS.catalogueBytes) }];
  keepTried(held, [{ ...list('one'), tools: long }]);
  expect(triedTools(held.dir, list('one'))).toBeUndefined();
  fs.mkdirSync(triedDir(held.dir));
  const file = join(triedDir(held.dir), triedFileName(list('one')));
  fs.writeFileSync(file, JSON.stringify({ ...list('one'), tools: long }));
  expect(triedTools(held.dir, list('one'))).toBeUndefined();
});

test('lists are removed by the names of their files; other files stay', () => {
  const held = fresh();
  keepTried(held, [list('one'), list('two')]);
  const outside = join(held.dir, 'mine.json');
  fs.writeFileSync(outside, '');
  forgetTried(held, [triedFileName(list('one')), '../mine.json', 'nothing']);
  expect(triedTools(held.dir, list('one'))).toBeUndefined();
  expect(triedTools(held.dir, list('two'))).toBeDefined();
  forgetTried(held, [triedFileName(list('two'))]);
  expect(fs.existsSync(triedDir(held.dir))).toBe(false);
  expect(fs.existsSync(outside)).toBe(true);
});
