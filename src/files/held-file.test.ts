import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { changeState, HeldState, removeDrafts, replaceHeld, type StateFile } from './held-file.js';

let dir: string;
let held: HeldState;

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'colibri-held-'));
  held = new HeldState(join(dir, 'state'));
  const made = dir;
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
});

const ID = '0123456789ab';
const note = (text: string, id = ID): string => {
  fs.mkdirSync(held.dir, { recursive: true });
  const file = join(held.dir, `draft-${id}`);
  fs.writeFileSync(file, text);
  return file;
};

test('a file is replaced whole, and neither draft nor note is left', () => {
  const file = join(dir, 'file');
  replaceHeld(held, file, (fd) => fs.writeFileSync(fd, 'one'));
  replaceHeld(held, file, (fd) => fs.writeFileSync(fd, 'two'));
  expect(fs.readFileSync(file, 'utf8')).toBe('two');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(dir).toSorted()).toEqual(['file', 'state']);
  expect(fs.readdirSync(held.dir)).toEqual([]);
});

test('where writing fails, the file stays and nothing is left', () => {
  const file = join(dir, 'file');
  fs.writeFileSync(file, 'before');
  const fail = () => {
    throw new Error('full');
  };
  expect(() => replaceHeld(held, file, fail)).toThrow('full');
  expect(fs.readFileSync(file, 'utf8')).toBe('before');
  expect(fs.readdirSync(dir).toSorted()).toEqual(['file', 'state']);
  expect(fs.readdirSync(held.dir)).toEqual([]);
});

test('the draft of a killed command is removed, and its note', () => {
  const draft = join(dir, `file.${ID}.part`);
  fs.writeFileSync(draft, 'half');
  const noted = note(draft);
  removeDrafts(held);
  expect([draft, noted].filter((path) => fs.existsSync(path))).toEqual([]);
});

test.each([
  ['that no note names', (draft: string) => void note(`${draft}.other`)],
  ['whose note has another id', (draft: string) => void note(draft, 'ba9876543210')],
  ['whose note is a relative path', (draft: string) => void note(draft.slice(1))],
  ['whose note is no note of ours', (draft: string) => void note(draft, `${ID}.json`)],
  ['whose note is too long', (draft: string) => void note(`${' '.repeat(9_000)}${draft}`)],
  ['whose note is a link', (draft: string) => fs.symlinkSync(note(draft, `${ID}x`), join(held.dir, `draft-${ID}`))],
])('a file that looks like a draft %s stays', (_, prepare) => {
  const draft = join(dir, `file.${ID}.part`);
  fs.writeFileSync(draft, "somebody's own");
  prepare(draft);
  removeDrafts(held);
  expect(fs.readFileSync(draft, 'utf8')).toBe("somebody's own");
});

test('a link or a folder in the place of a draft is not touched, nor what it leads to', () => {
  const [target, link, folder] = [join(dir, 'target'), join(dir, `l.${ID}.part`), join(dir, 'f.ba9876543210.part')];
  fs.writeFileSync(target, 'mine');
  fs.symlinkSync(target, link);
  fs.mkdirSync(folder);
  note(link);
  note(folder, 'ba9876543210');
  removeDrafts(held);
  expect(fs.readFileSync(link, 'utf8')).toBe('mine');
  expect(fs.statSync(folder).isDirectory()).toBe(true);
});

const list = (): StateFile<readonly number[]> => ({
  path: join(held.dir, 'list.json'),
  parse: (text) => {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  },
});

test('a state file is made, changed, left alone and removed', () => {
  const text = (): string => fs.readFileSync(list().path, 'utf8');
  changeState(held, list(), (now) => [...(now ?? []), 1]);
  changeState(held, list(), (now) => [...(now ?? []), 2]);
  expect(JSON.parse(text())).toEqual([1, 2]);
  const before = fs.statSync(list().path).ino;
  changeState(held, list(), (now) => now);
  expect(fs.statSync(list().path).ino).toBe(before);
  changeState(held, list(), () => undefined);
  expect(fs.existsSync(list().path)).toBe(false);
});

test.each(['', '{', '{}', 'null'])('a state file that says %j is told and not written over', (text) => {
  fs.mkdirSync(held.dir);
  fs.writeFileSync(list().path, text);
  expect(() => changeState(held, list(), () => [1])).toThrow(/list\.json cannot be read or is damaged/);
  expect(fs.readFileSync(list().path, 'utf8')).toBe(text);
});
