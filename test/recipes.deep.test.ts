// Each recipe of docs/recipes.md does what it says: its blocks run in a shell, and print what stands below them.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase, hasPostgres } from './support/postgres.js';
import { freshPlace, MAIN } from './support/serve.js';

const text = fs.readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8');
const ANSWER = fileURLToPath(new URL('./children/answer-digits.mjs', import.meta.url));

interface Block {
  readonly kind: string;
  readonly body: string;
}

const blocksOf = (section: string): Block[] =>
  [...section.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, kind = '', body = '']) => ({ kind, body }));

/** What runs: the blocks for a shell, and those that a person runs, with somebody who types the digits. */
const scriptOf = (section: string): string =>
  blocksOf(section)
    .flatMap(({ kind, body }) => {
      if (kind === 'sh terminal') return [`'${process.execPath}' '${ANSWER}' <<'END_OF_BLOCK'\n${body}END_OF_BLOCK\n`];
      return kind.startsWith('sh run') ? [body] : [];
    })
    .join('\n');

const [, before = '', ...recipes] = text.split(/^## /m);
const named = recipes.map((recipe) => [recipe.slice(0, recipe.indexOf('\n')), recipe] as const);
const needsServer = (recipe: string): boolean => recipe.includes('sh run postgres');

/** The recipes that are promised. */
const PROMISED = [
  'Fallback between two search servers',
  'Why a tool failed yesterday',
  'Prove to your boss what the agent decided',
  'Two agents on one queue',
  'Dangerous tools need a yes',
  'A team on PostgreSQL',
];

test('there is every recipe, and each has blocks that run and says what they print', () => {
  expect(scriptOf(before)).toContain('call()');
  expect(named.map(([name]) => name)).toEqual(PROMISED);
  for (const [name, recipe] of named) {
    const kinds = new Set(blocksOf(recipe).map(({ kind }) => kind));
    expect([...kinds].filter((kind) => !['sh run', 'sh run postgres', 'sh terminal', 'text'].includes(kind))).toEqual(
      [],
    );
    expect(scriptOf(recipe).length, name).toBeGreaterThan(0);
    expect(kinds.has('text'), name).toBe(true);
  }
});

test.each(['bash', 'zsh'])('a call without arguments, in %s', (shell) => {
  const make = /^call\(\) \{.*?^\}/ms.exec(scriptOf(before))?.[0] ?? '';
  const script = `colibri() { cat; }\n${make}\ncall task_list; call task_get '{"task_id":"T-1"}'`;
  const { stdout, error } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
  if (error !== undefined && shell === 'zsh') return; // not installed
  const calls = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).params);
  expect(calls).toEqual([
    { name: 'task_list', arguments: {} },
    { name: 'task_get', arguments: { task_id: 'T-1' } },
  ]);
});

/** Runs the blocks as somebody does who types them: in a shell without arguments, which is nobody's program, each line a job of its own. */
const ran = (shell: string, recipe: string, more: Record<string, string> = {}) => {
  const own: Record<string, string> = { ...freshPlaceEnv(), NO_COLOR: '1', TERM: 'dumb', ...more };
  const { COLIBRI_DB_PATH: _path, ...env } = own;
  const file = join(env.HOME ?? '', 'recipe.sh');
  fs.writeFileSync(file, ['set -meuo pipefail', 'set -o allexport', scriptOf(before), scriptOf(recipe)].join('\n'));
  const choice = { cwd: env.HOME, env, encoding: 'utf8' } as const;
  // zsh takes the option -m only on a terminal.
  if (shell === 'zsh') return spawnSync('script', ['-qec', `zsh '${file}'`, '/dev/null'], choice);
  return spawnSync(shell, [], { ...choice, input: `. '${file}'\n` });
};

const expectPrinted = (recipe: string, told: ReturnType<typeof ran>): void => {
  expect(told, told.stdout + told.stderr).toMatchObject({ status: 0 });
  const shown = blocksOf(recipe).filter(({ kind }) => kind === 'text');
  for (const line of shown.flatMap(({ body }) => body.trim().split('\n'))) expect(told.stdout).toContain(line);
};

/** People paste the blocks into either. */
const SHELLS = ['bash', 'zsh'].filter((shell) => spawnSync(shell, ['--version']).status === 0 || process.env.CI);

describe.each(SHELLS)('in %s', (shell) => {
  // A zsh that runs a file has no jobs of their own, so whoever types the digits would stand below the client there.
  const fits = (recipe: string): boolean => shell !== 'zsh' || !recipe.includes('sh terminal');
  test.each(named.filter(([, recipe]) => !needsServer(recipe) && fits(recipe)))(
    '%s',
    { timeout: 180_000 },
    (_name, recipe) => {
      expectPrinted(recipe, ran(shell, recipe));
    },
  );

  test.skipIf(!hasPostgres()).each(named.filter(([, recipe]) => needsServer(recipe)))(
    '%s',
    { timeout: 180_000 },
    async (_name, recipe) => {
      const { url, drop } = await freshDatabase();
      onTestFinished(drop);
      expectPrinted(recipe, ran(shell, recipe, { TEAM_DATABASE: url }));
    },
  );
});

/** An environment with an empty home and the command `colibri`. */
const freshPlaceEnv = (): Record<string, string> => {
  const place = freshPlace();
  const bin = join(place.dir, 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, 'colibri'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  return { ...place.env, PATH: `${bin}:${place.env.PATH}`, COLUMNS: '120' };
};
