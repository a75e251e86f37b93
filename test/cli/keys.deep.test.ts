// The signing key as the commands find it: gone, unreadable, somebody else's.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, keysDir, usedStore, useMore } from '../support/command-line.js';
import { freshPlace, serve } from '../support/serve.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

test('somebody else’s key in its place: nothing is signed, and it is not taken for ours', async () => {
  const { place, log } = await usedStore();
  const other = await usedStore();
  fs.copyFileSync(join(keysDir(other.place), other.log), join(keysDir(place), log));
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Custody: key: not on this machine/m),
  });
  expect(await colibri(place, ['erase', '3', '--reason', 'x', '--yes'])).toMatchObject({ code: 1 });
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is gone'),
  });
});

test('a pipe in its place: nobody waits for it, and no log ends for it', async () => {
  const { place, log } = await usedStore();
  const key = join(keysDir(place), log);
  const pem = fs.readFileSync(key);
  fs.rmSync(key);
  execFileSync('mkfifo', [key]);
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Custody: key: on this machine, not readable/m),
  });
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the signing key .* cannot be read: it is not a file/),
  });
  const peer = serve(place);
  await peer.initialize();
  expect(await peer.call('task_list', {})).toMatchObject({
    result: { isError: true, structuredContent: { error: { code: 'STORE_UNAVAILABLE' } } },
  });
  await peer.end();
  fs.rmSync(key);
  fs.writeFileSync(key, pem, { mode: 0o600 });
  await useMore(place);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test.runIf(isRoot)('unreadable: every command says so, verify stands', async () => {
  const place = freshPlace();
  fs.chmodSync(place.dir, 0o777);
  for (const dir of [place.home, place.env.TMPDIR ?? '']) fs.chownSync(dir, NOBODY, NOBODY);
  const { log, thought } = await usedStore(place, { uid: NOBODY });
  const key = join(keysDir(place), log);
  fs.chownSync(key, 0, 0);
  const verdict = await colibri(place, ['verify'], { uid: NOBODY });
  expect(verdict).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Custody: key: on this machine, not readable/m),
  });
  const erased = await colibri(place, ['erase', thought, '--reason', 'x', '--yes'], { uid: NOBODY });
  expect(erased).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/signing key .* cannot be read.*Make the file readable/s),
  });
  // Nothing was erased, so there is nothing to sign; a new key cannot be made either.
  expect(await colibri(place, ['checkpoint'], { uid: NOBODY })).toMatchObject({ code: 0 });
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'], { uid: NOBODY })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the signing key .* cannot be read/),
  });
  fs.chownSync(key, NOBODY, NOBODY);
  expect(await colibri(place, ['checkpoint'], { uid: NOBODY })).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify'], { uid: NOBODY })).toMatchObject({ code: 0 });
});
