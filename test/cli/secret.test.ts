// colibri secret, version and help for subcommands: a value goes in and never comes out.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json, stateDir } from '../support/command-line.js';
import { variable } from '../support/secrets.js';
import { freshPlace } from '../support/serve.js';

test('a secret is set from a pipe, listed by name alone, used by its name, and removed', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const value = 'correct-horse-7';
  const set = await colibri(place, ['secret', 'set', 'SEARCH_KEY'], { input: `${value}\n` });
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining(variable('secret:SEARCH_KEY')) });
  const file = join(stateDir(place), 'secrets.json');
  expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(JSON.parse(fs.readFileSync(file, 'utf8')).secrets).toEqual({ SEARCH_KEY: value });
  expect(json(await colibri(place, ['secret', 'list', '--json'])).secrets).toEqual(['SEARCH_KEY']);
  const replaced = await colibri(place, ['secret', 'set', 'SEARCH_KEY', '--json'], { input: 'other' });
  expect(json(replaced)).toMatchObject({ set: 'SEARCH_KEY', new: false });
  for (const ran of [set, replaced, await colibri(place, ['secret', 'list'])])
    expect(ran.stdout + ran.stderr).not.toContain(value);
  const mistakes: readonly (readonly [string[], string | undefined, RegExp])[] = [
    [['set', 'a b'], 'x', /is not a name of a secret/],
    [['set', 'EMPTY'], '\n', /The value is empty/],
    [['rm', 'NO', '--yes'], undefined, /There is no secret NO\. Secrets: SEARCH_KEY/],
    [['rm', 'SEARCH_KEY'], undefined, /no terminal to ask you on/],
    [['lst'], undefined, /the nearest is 'list'/],
  ];
  for (const [args, input, told] of mistakes)
    expect(await colibri(place, ['secret', ...args], { ...(input && { input }) }), args.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(told),
    });
  expect(await colibri(place, ['secret', 'rm', 'SEARCH_KEY', '--yes'])).toMatchObject({ code: 0 });
  expect(fs.existsSync(file)).toBe(false);
  expect((await colibri(place, ['version'])).stdout).toMatch(/^colibri \d+\.\d+\.\d+, Node v\d+/);
  const help = await colibri(place, ['help', 'switchboard', 'add']);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--header') });
  expect(await colibri(place, ['help', 'switchboard', 'ad'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the nearest is 'switchboard add'"),
  });
});
