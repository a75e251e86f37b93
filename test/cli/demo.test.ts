// colibri demo: what it claims is held against what it left behind, read by code that shares nothing with it; and a
// product with one thing broken makes it fail.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';
import { demoPlace, runDemo } from './demo-run.js';

test('a folder that cannot be made is one line', async () => {
  const place = demoPlace();
  fs.rmSync(place.tmp, { recursive: true });
  const { code, stdout, stderr } = await runDemo(place);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('help has an example, the exit codes and --json', async () => {
  const { stdout } = await colibri(freshPlace(), ['demo', '--help']);
  for (const words of ['Exit codes', '  colibri demo ', '--json', '--keep']) expect(stdout).toContain(words);
});
