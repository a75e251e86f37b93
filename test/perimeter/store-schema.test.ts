// A store with somebody else's schema is refused by name before one row is written; nothing of it runs.
import * as fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { serve } from '../support/serve.js';
import { forgetUsed, PLANTED, plant, usedPlace } from './planted-schema.js';

afterAll(forgetUsed);

const TRIGGER = 'a trigger that names files of others as dead processes';

test('serve refuses a planted trigger by its name and writes nothing', async () => {
  const place = await usedPlace();
  plant(place.db, PLANTED[TRIGGER]?.[0] ?? '');
  const before = fs.readFileSync(place.db);
  const peer = serve(place);
  await peer.initialize();
  const answer = await peer.call('task_list', {});
  const { error } = answer.result.structuredContent;
  expect(error).toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringMatching(/trigger "evil" on "actions"/) });
  expect(receiptOf(answer)).toBeUndefined();
  expect((await peer.end()).code).toBe(0);
  expect(fs.readFileSync(place.db).equals(before)).toBe(true);
});

test('an endless view hangs no command: each says what it found', async () => {
  const place = await usedPlace();
  plant(place.db, PLANTED['an endless view in the place of the logs']?.[0] ?? '');
  const [verify, ...others] = await Promise.all(
    [['verify', '--json'], ['status'], ['log'], ['doctor']].map((args) => colibri(place, args)),
  );
  expect(verify?.code).toBe(20);
  expect(verify && json(verify).findings[0].message).toMatch(/foreign view/);
  for (const { stdout, stderr, code } of others) {
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/view "logs"/);
  }
});

test('what is planted while a server runs does not run either', async () => {
  const place = await usedPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
  plant(place.db, PLANTED['a trigger that deletes what was recorded']?.[0] ?? '');
  const answer = await peer.call('task_create', { title: 'After' });
  expect(receiptOf(answer)).toBeUndefined();
  expect(answer.result.structuredContent.error).toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringMatching(/trigger "quiet"/),
  });
});

test('ANALYZE by the owner is fine for serve and for verify', async () => {
  const place = await usedPlace();
  plant(place.db, 'ANALYZE');
  expect((await colibri(place, ['verify'])).code).toBe(0);
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
  plant(place.db, 'ANALYZE');
  expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
});
