import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile, writeWhole } from './whole-file.js';

let dir = '';
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'colibri-whole-'));
  fs.writeFileSync(join(dir, 'file'), 'before');
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const put = (text: string) => (fd: number) => fs.writeFileSync(fd, text);
const now = () => ({ names: fs.readdirSync(dir), text: fs.readFileSync(join(dir, 'file'), 'utf8') });

test('a file that cannot be filled stays as it was, without a draft', () => {
  const full = (): never => {
    throw new Error('disk full');
  };
  expect(() => writeWhole(join(dir, 'file'), full, { draft: join(dir, 'draft') })).toThrow('disk full');
  expect(now()).toEqual({ names: ['file'], text: 'before' });
});

test('a draft that was left there is neither kept nor followed', () => {
  fs.symlinkSync(join(dir, 'file'), join(dir, 'draft'));
  writeWhole(join(dir, 'new'), put('text'), { draft: join(dir, 'draft') });
  expect(now()).toEqual({ names: ['file', 'new'], text: 'before' });
});

test('a name that may not be taken twice is not', () => {
  const how = { draft: join(dir, 'draft'), name: fs.linkSync };
  expect(() => writeWhole(join(dir, 'file'), put('after'), how)).toThrow(/EEXIST/);
  expect(now()).toEqual({ names: ['file'], text: 'before' });
});

test('a replaced file is private, and its folders are made', () => {
  replaceFile(join(dir, 'file'), 'after');
  expect(now()).toEqual({ names: ['file'], text: 'after' });
  expect(fs.statSync(join(dir, 'file')).mode & 0o777).toBe(0o600);
  replaceFile(join(dir, 'folder', 'file'), 'text');
  expect(fs.readFileSync(join(dir, 'folder', 'file'), 'utf8')).toBe('text');
});
