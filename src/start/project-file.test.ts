import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { declaredIn, projectFilePath, projectFileText } from './project-file.js';

const ID = '5f'.repeat(16);
let dir: string;

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'colibri-project-'));
  const made = dir;
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
});

const write = (text: string): void => {
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  fs.writeFileSync(projectFilePath(dir), text);
};

test('what init writes is read again; where there is no file there is no id', () => {
  expect(declaredIn(dir)).toEqual({ kind: 'none' });
  fs.mkdirSync(join(dir, '.colibri'));
  expect(declaredIn(dir)).toEqual({ kind: 'none' });
  write(projectFileText(ID));
  expect(declaredIn(dir)).toEqual({ kind: 'id', id: ID });
});

test.each([
  ['', 'it is not JSON'],
  ['{', 'it is not JSON'],
  ['null', 'project_id is not 32 hexadecimal digits'],
  ['[]', 'project_id is not 32 hexadecimal digits'],
  [`"${ID}"`, 'project_id is not 32 hexadecimal digits'],
  ['{"project_id": 7}', 'project_id is not 32 hexadecimal digits'],
  [projectFileText(ID.toUpperCase()), 'project_id is not 32 hexadecimal digits'],
  [projectFileText(`${ID}0`), 'project_id is not 32 hexadecimal digits'],
  [projectFileText(`path-${ID}`), 'project_id is not 32 hexadecimal digits'],
  [projectFileText('0'.repeat(32)), 'project_id is not 32 hexadecimal digits'],
  [projectFileText(ID) + ' '.repeat(4_096), 'it is too large'],
])('%j is not used', (text, why) => {
  write(text);
  expect(declaredIn(dir)).toEqual({ kind: 'unusable', why });
});

test.each([
  ['a link to a good one', () => fs.symlinkSync(join(dir, 'good.json'), projectFilePath(dir)), 'it is a link'],
  ['a link to an endless device', () => fs.symlinkSync('/dev/zero', projectFilePath(dir)), 'it is a link'],
  ['a folder', () => fs.mkdirSync(projectFilePath(dir)), 'it is not a regular file'],
  ['a pipe', () => spawnSync('mkfifo', [projectFilePath(dir)]), 'it is not a regular file'],
])('%s is not read', (_, make, why) => {
  fs.writeFileSync(join(dir, 'good.json'), projectFileText(ID));
  fs.mkdirSync(join(dir, '.colibri'));
  make();
  expect(declaredIn(dir)).toEqual({ kind: 'unusable', why });
});

test('a folder that is a link is not followed', () => {
  const other = join(dir, 'other');
  fs.mkdirSync(other);
  fs.writeFileSync(join(other, 'project.json'), projectFileText(ID));
  fs.symlinkSync(other, join(dir, '.colibri'));
  expect(declaredIn(dir)).toEqual({ kind: 'unusable', why: 'its folder is a link' });
});
