// colibri verify on stores: what each exit code stands for, and evidence from outside.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  colibri,
  copyStore,
  headFiles,
  headsDir,
  json,
  replaceStore,
  usedStore,
  useMore,
} from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
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

test('no store, no database, another program: 30', async () => {
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

test('a client that kept its receipts is a witness: a call that was cut off shows', async () => {
  const { place, receipts } = await usedStore();
  const copy = copyStore(place);
  const heads = fs.readdirSync(join(headsDir(place), receipts[0]?.log ?? ''));
  const { value } = await useMore(place);
  const forms = {
    'answers.jsonl': value.map((answer) => JSON.stringify(answer)).join('\n'),
    'results.json': JSON.stringify(value.map((answer) => answer.result)),
    'receipts.json': JSON.stringify([...receipts, ...value.map(receiptOf)]),
  };
  for (const [name, text] of Object.entries(forms)) fs.writeFileSync(join(place.dir, name), text);
  for (const name of Object.keys(forms)) {
    expect(await colibri(place, ['verify', '--receipts', join(place.dir, name)]), name).toMatchObject({ code: 0 });
  }
  // Store and heads go back together: nobody but the client knows.
  replaceStore(place, copy);
  for (const head of headFiles(place, receipts[0]?.log ?? ''))
    if (!heads.includes(head.split('/').at(-1) ?? '')) fs.rmSync(head);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  for (const name of Object.keys(forms)) {
    const ran = await colibri(place, ['verify', '--receipts', join(place.dir, name)]);
    expect(ran, name).toMatchObject({ code: 20, stdout: expect.stringMatching(/receipt .*is not there/) });
  }
  fs.writeFileSync(join(place.dir, 'bad.json'), '[{"log":"x"}]');
  expect(await colibri(place, ['verify', '--receipts', join(place.dir, 'bad.json')])).toMatchObject({ code: 30 });
});
