import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HeldState } from '../../files/held-file.js';
import { triedDir } from '../../switchboard/config/tried-tools.js';
import { carryOut, type FileChange } from './changes.js';
import { Journal } from './journal.js';

const fresh = () => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-changes-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  const write = (name: string, text: string): string => {
    fs.writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  return { held: new HeldState(join(dir, 'state')), write, dir };
};

const edit = (file: string, before: string): FileChange => ({
  file,
  what: 'a test',
  before,
  after: '{"mcpServers":{"colibri":{}}}',
  mode: 0o600,
  inverse: {
    kind: 'servers',
    format: 'json',
    client: 'gemini',
    edits: [{ keys: ['mcpServers'], name: 'colibri', now: {} }],
  },
});

const tried = [{ server: 'one', connection: 'c', tools: [{ name: 'a' }] }];
const none = { project: undefined, approvals: [], secrets: {}, tried };

test('a file that changed after the plan was shown: nothing is written, not even what would have been first', async () => {
  const { held, write } = fresh();
  const [one, two] = [write('one.json', '{}'), write('two.json', '{"theirs": 1}')];
  await expect(carryOut({ ...none, files: [edit(one, '{}'), edit(two, '{}')] }, held)).rejects.toThrow(/meanwhile/);
  expect([one, two].map((file) => fs.readFileSync(file, 'utf8'))).toEqual(['{}', '{"theirs": 1}']);
  expect(fs.existsSync(triedDir(held.dir))).toBe(false);
  expect(new Journal(held.dir).runs()).toEqual([]);
});

test('a failure in the middle undoes the files and removes the tool lists', async () => {
  const { held, write, dir } = fresh();
  const [one, two] = [write('one.json', '{ }'), write('two.json', '{}')];
  const own = { program: process.execPath, commands: [['-e', 'process.exit(7)']], cwd: dir };
  const files = [edit(one, '{ }'), { ...edit(two, '{}'), own }];
  await expect(carryOut({ ...none, files }, held)).rejects.toThrow(/failed/);
  expect([one, two].map((file) => fs.readFileSync(file, 'utf8'))).toEqual(['{ }', '{}']);
  expect(fs.existsSync(triedDir(held.dir))).toBe(false);
  const { tried: kept } = await carryOut({ ...none, files: [edit(one, '{ }')] }, held);
  expect(fs.readdirSync(triedDir(held.dir))).toEqual(kept);
});
