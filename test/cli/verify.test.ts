// colibri verify on stores: what each exit code stands for, and evidence from outside.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, json, usedStore } from '../support/command-line.js';
import { filesBelow, freshPlace } from '../support/serve.js';
import { change } from './verify.shared.js';

const contentsBelow = (dir: string): Record<string, string> =>
  Object.fromEntries(filesBelow(dir).map((file) => [file, fs.readFileSync(join(dir, file), 'base64')]));

test('a sound store: 0, everything said that a verdict has to say, nothing written', async () => {
  const { place } = await usedStore();
  const before = contentsBelow(place.dir);
  const ran = await colibri(place, ['verify']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^OK {2}store /);
  for (const part of ['records checked', 'Checked:', 'Not checked:']) expect(ran.stdout).toContain(part);
  expect(ran.stdout).toMatch(/^Custody: key: readable by .*\n {9}heads: same disk/m);
  expect(ran.stdout).not.toContain('\u001b');
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({
    exit: 0,
    valid: true,
    complete: true,
    scope: { kind: 'store' },
    broken_count: 0,
    findings: [],
    missing: [],
    custody: { key: expect.any(String), heads: expect.any(String) },
  });
  const after = Object.entries(contentsBelow(place.dir)).filter(([file]) => !/-(wal|shm)$/.test(file));
  expect(after).toEqual(Object.entries(before).filter(([file]) => !/-(wal|shm)$/.test(file)));
});

test('a changed row: 20, with the place', async () => {
  const { place } = await usedStore();
  change(place, `UPDATE tasks SET title = 'something else'`);
  const ran = await colibri(place, ['verify']);
  expect(ran).toMatchObject({ code: 20, stdout: expect.stringMatching(/^BROKEN[\s\S]*contradiction[\s\S]*tasks/) });
  expect(ran.stdout).toMatch(/^Custody: /m);
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 20, valid: false });
});

deepTest('no store, no database, another program: 30', async () => {
  const place = freshPlace();
  const none = await colibri(place, ['verify']);
  expect(none).toMatchObject({ code: 30, stdout: expect.stringMatching(/^UNREADABLE[\s\S]*There is no store at/) });
  expect(none.stdout).toMatch(/^Custody: /m);
  expect(fs.existsSync(place.db)).toBe(false);
  fs.writeFileSync(join(place.dir, 'letter'), 'dear aunt, '.repeat(1_000));
  expect(await colibri(place, ['verify', '--db', join(place.dir, 'letter')])).toMatchObject({ code: 30 });
  expect(json(await colibri(place, ['verify', '--db', join(place.dir, 'letter'), '--json']))).toMatchObject({
    exit: 30,
  });
});
