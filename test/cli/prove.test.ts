// colibri prove, and colibri verify on the file it writes.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json, SECRET, usedStore } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';

test('a thought: written to a file, checked without any store', async () => {
  const { place, thought, log } = await usedStore();
  const out = join(place.dir, 'thought.tlog-proof');
  const proved = await colibri(place, ['prove', thought, '--out', out]);
  expect(proved).toMatchObject({
    code: 0,
    stdout: `${out}\n`,
    stderr: expect.stringMatching(/\nThe proof was written to\n$/),
  });
  const [, vkey = ''] = /--key '([^']+)'/.exec(proved.stderr) ?? [];
  expect(vkey).toContain(`colibri.dev/log/${log}+`);

  const stranger = freshPlace();
  const checked = await colibri(stranger, ['verify', out, '--key', vkey]);
  expect(checked).toMatchObject({ code: 0, stderr: '' });
  expect(checked.stdout).toContain(`content: ${SECRET}`);
  expect(checked.stdout).toMatch(/^OK {2}proof/);
  expect(checked.stdout).toMatch(/^Custody: key: .*\n {9}heads: none/m);
  expect(checked.stdout).toContain('Not checked:');
  fs.writeFileSync(join(place.dir, 'vkey.txt'), `${vkey}\n`);
  const byFile = await colibri(stranger, ['verify', '--proof', out, '--key', join(place.dir, 'vkey.txt'), '--json']);
  expect(json(byFile)).toMatchObject({
    exit: 0,
    valid: true,
    proved: { content: SECRET, thought: { thought_id: thought } },
  });
  expect(fs.existsSync(stranger.db)).toBe(false);
});
