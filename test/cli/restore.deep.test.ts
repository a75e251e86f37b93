// A store that went back: refused by the server, explained, accepted, and never called tampering afterwards.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  colibri,
  copyStore,
  json,
  replaceStore,
  rolledBackStore,
  usedStore,
  useMore,
} from '../support/command-line.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshPlace, serve } from '../support/serve.js';
import { answerQuestions, CTRL_C, hasTerminals } from '../support/terminal.js';

test('accepting leaves the copies of a lost call behind: its receipt is known to be lost', async () => {
  const used = await usedStore();
  const { place } = used;
  const copy = copyStore(place);
  const { value } = await useMore(place);
  replaceStore(place, copy);
  const kept = join(place.dir, 'kept.json');
  fs.writeFileSync(kept, JSON.stringify(value.map(receiptOf)));
  await colibri(place, ['accept-loss', 'backup of Monday', '--yes']);
  const verdict = json(await colibri(place, ['verify', '--receipts', kept, '--json']));
  expect(verdict).toMatchObject({ exit: 10 });
  expect(verdict.remarks.join()).toContain(`${value.length} receipts`);
});

test('accepting is for a person: without a terminal it needs --yes, and changes nothing', async () => {
  const { place } = await rolledBackStore();
  const size = new Ledger(place.db).records.length;
  const refused = await colibri(place, ['accept-loss', 'an agent thought so']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes if you are sure.') });
  expect(refused.stderr).toContain('missing');
  expect(new Ledger(place.db).records).toHaveLength(size);
  expect(new Ledger(place.db).ofKind('restore')).toEqual([]);
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 10 });
});

test.runIf(hasTerminals)('a person on a terminal sees what is missing, and is asked', async () => {
  const { place } = await rolledBackStore();
  const accepting = (answer: string) =>
    answerQuestions({ project: place.dir, place }, ['accept-loss', 'disk replaced'], [answer]);
  for (const [answer, code] of [
    ['no\n', 1],
    [CTRL_C, 130],
  ] as const) {
    const { text, code: ended } = await accepting(answer);
    expect(ended).toBe(code);
    expect(text).toMatch(/missing \d+ records/);
    expect(new Ledger(place.db).ofKind('restore')).toEqual([]);
  }
  expect(await accepting('yes\n')).toMatchObject({ code: 0, text: expect.stringContaining('Accepted: ') });
  expect(new Ledger(place.db).ofKind('restore')).toMatchObject([{ reason: 'disk replaced' }]);
});

test('a reason is wanted, and one that a record can keep', async () => {
  const { place } = await rolledBackStore();
  for (const reason of ['', '   ', 'x'.repeat(501)]) {
    expect(await colibri(place, ['accept-loss', reason, '--yes'])).toMatchObject({ code: 1 });
  }
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 10 });
});

test('with COLIBRI_KEY_FILE the one key cannot sign the log that goes on', async () => {
  const place = freshPlace();
  const env = { COLIBRI_KEY_FILE: join(place.dir, 'my.key') };
  await usedStore(place, { env });
  const copy = copyStore(place);
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.phase2();
  await peer.end();
  replaceStore(place, copy);
  expect(await colibri(place, ['accept-loss', 'x', '--yes'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/already signs another log.*COLIBRI_KEY_FILE/),
  });
  fs.rmSync(env.COLIBRI_KEY_FILE);
  expect(await colibri(place, ['accept-loss', 'x', '--yes'], { env })).toMatchObject({ code: 0 });
});

test('nothing is missing: it says so and accepts nothing', async () => {
  const { place } = await usedStore();
  expect(await colibri(place, ['restore'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nothing to accept'),
  });
  expect(json(await colibri(place, ['restore', '--json']))).toEqual({ rolled_back: false });
  const before = new Ledger(place.db).records.length;
  expect(await colibri(place, ['accept-loss', 'why not', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing to accept'),
  });
  expect(new Ledger(place.db).records).toHaveLength(before);
});
