// Each recipe of docs/recipes.md does what it says: its blocks run in a shell, and print what stands below them.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshPlace, MAIN } from './support/serve.js';

const text = fs.readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8');
const blocks = (section: string, kind: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map((block) => block[1] ?? '');

const [, before = '', ...recipes] = text.split(/^## /m);
const named = recipes.map((recipe) => [recipe.slice(0, recipe.indexOf('\n')), recipe] as const);

test('there are recipes, and each has blocks that run and says what they print', () => {
  expect(blocks(before, 'sh run')).toHaveLength(1);
  expect(recipes.length).toBeGreaterThanOrEqual(4);
  for (const [name, recipe] of named) {
    expect(blocks(recipe, 'sh run').length, name).toBeGreaterThan(0);
    expect(blocks(recipe, 'text').length, name).toBeGreaterThan(0);
  }
});

test.each(named)('%s', { timeout: 180_000 }, (_name, recipe) => {
  const { COLIBRI_DB_PATH: _path, ...env } = freshPlaceEnv();
  const script = ['set -euo pipefail', ...blocks(before, 'sh run'), ...blocks(recipe, 'sh run')].join('\n');
  const ran = spawnSync('bash', ['-c', script], { cwd: env.HOME, env, encoding: 'utf8' });
  expect(ran, script).toMatchObject({ status: 0 });
  for (const line of blocks(recipe, 'text').join('').trim().split('\n')) expect(ran.stdout).toContain(line);
});

/** An environment with an empty home and the command `colibri`. */
const freshPlaceEnv = (): Record<string, string> => {
  const place = freshPlace();
  const bin = join(place.dir, 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, 'colibri'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  return { ...place.env, PATH: `${bin}:${place.env.PATH}`, COLUMNS: '120' };
};
