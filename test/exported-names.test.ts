// One word per idea: an exported name is declared in one file of src/, so that whoever searches for it finds one thing.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Names that two files may declare, each with the reason. At most ten. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

const DECLARED = /^export (?:async |abstract )*(?:const|function\*?|class|interface|type|enum) (\w+)/gm;

const SRC = new URL('../src/', import.meta.url);

const filesOf = (): readonly string[] =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test|\.d)\.ts$/.test(file));

const declarations = (): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const file of filesOf()) {
    for (const [, name = ''] of readFileSync(new URL(file, SRC), 'utf8').matchAll(DECLARED))
      found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
};

test('an exported name is declared in one file', () => {
  const all = [...declarations()];
  expect(all.length).toBeGreaterThan(1_000);
  const twice = all.filter(([name, files]) => new Set(files).size > 1 && !Object.hasOwn(EXCEPTIONS, name));
  expect(twice.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([]);
});

test('the exceptions are few, and each is one', () => {
  const names = Object.keys(EXCEPTIONS);
  expect(names.length).toBeLessThanOrEqual(10);
  const known = declarations();
  expect(names.filter((name) => new Set(known.get(name)).size < 2)).toEqual([]);
});
