// A file that a comment or a document names must exist: after a move, nothing else notices.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const names = new Set(tracked.map((file) => basename(file)));

/** Names that stand for any file, and those of the servers that the recipes write. */
const EXAMPLES = ['check.mjs', 'search.mjs', 'notes.mjs', 'disk.mjs'];
const isExample = (name: string): boolean => name.startsWith('x.') || EXAMPLES.includes(name);

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

const namedIn = (file: string): string[] => {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines
    .filter((line) => file.endsWith('.md') || isComment(line))
    .flatMap((line) => [...line.matchAll(/(?<![*\w./-])[\w./-]+\.(?:ts|mjs)\b/g)].map(([name]) => name));
};

const isThere = (name: string): boolean => {
  const path = name.replace(/^(\.\.?\/)+/, '');
  return path.includes('/') ? tracked.some((file) => `/${file}`.endsWith(`/${path}`)) : names.has(path);
};

it('every source file that a comment or a document names exists', () => {
  const gone = tracked
    .filter((file) => /\.(ts|mjs|md)$/.test(file))
    .flatMap((file) => namedIn(file).map((name) => ({ file, name })))
    .filter(({ name }) => !isExample(name) && !isThere(name));
  expect(gone).toEqual([]);
});
