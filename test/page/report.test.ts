// `colibri report`: one task for a reviewer, and that no text of an agent becomes markup in it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { colibri, dataOf, json, usedStore } from '../support/command-line.js';
import { session } from '../support/serve.js';

const HOSTILE = '</td><script>alert(1)</script> [x](javascript:alert(1)) | `rm -rf` # *x* https://evil.example \u202e';

it('says what was asked, decided and done, what that proves and how to check it', { timeout: 60_000 }, async () => {
  const { place } = await usedStore();
  const made = await session(place, async (peer) =>
    dataOf(await peer.call('task_create', { title: HOSTILE, description: `${HOSTILE}\n\n# ${HOSTILE}` })),
  );
  const { code, stdout } = await colibri(place, ['report', 'T-0001', '--md']);
  expect(code).toBe(0);
  const heads = stdout.split('\n').filter((line) => line.startsWith('#'));
  expect(heads).toEqual([
    '# T-0001: Find the leak',
    '## What was asked',
    '## What was decided, and why',
    '## What was done',
    '## What this proves',
    '## How to check it',
  ]);
  expect(stdout).toContain('> looked at the logs');
  expect(stdout).toMatch(/INIT → GATHER/);
  expect(stdout).toContain('has the digest that a record under the signature names');
  const key = /--key '([^']+)'/.exec(stdout)?.[1] ?? '';
  const file = join(place.dir, 'T-0001.html');
  expect((await colibri(place, ['report', 'T-0001', '--out', file])).code).toBe(0);
  expect((await colibri(place, ['verify', file, '--key', key])).code).toBe(0);

  const out = join(place.dir, 'hostile.md');
  const told = await colibri(place, ['report', made.value.task_id, '--md', '--out', out, '--json']);
  const text = fs.readFileSync(out, 'utf8');
  expect(json(told).markdown).toBe(text);
  expect(text).not.toMatch(/(?<!\\)<script|(?<!\\)\]\(|\u202e|(?<!\\):\/\/evil/);
  expect(text.split('\n').filter((line) => /^#/.test(line))).toHaveLength(6);
  expect((await colibri(place, ['report', 'T-77', '--md'])).stderr).toContain('no task T-0077');
});
