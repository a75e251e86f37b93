// colibri prove, and colibri verify on the file it writes.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json, rows, SECRET, usedStore } from '../support/command-line.js';
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

test('a call: by the beginning of its id; one of its records alone names it', async () => {
  const { place, receipts, thought } = await usedStore();
  const [{ call = '', seq = 0 } = {}] = receipts;
  const whole = await colibri(place, ['prove', call]);
  expect(whole).toMatchObject({ code: 0, stderr: expect.stringContaining('with its intent and its approvals') });
  expect(await colibri(place, ['prove', call.slice(0, 9).toUpperCase()])).toMatchObject(whole);
  const alone = await colibri(place, ['prove', String(seq)]);
  expect(alone.stderr).toContain(`\`colibri prove ${call}\` has the call with its approvals`);
  const nobody = await colibri(place, ['prove', 'abcdef0']);
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('no call whose id begins with abcdef0') });
  const [{ seq: boot = 0 } = {}] = rows<{ seq: number }>(place, `SELECT seq FROM actions WHERE kind = 'boot'`);
  for (const other of [thought, String(boot)])
    expect((await colibri(place, ['prove', other])).stderr).not.toContain('has the call');
});
