// The signing key as the commands find it: gone, unreadable, somebody else's.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, keysDir, usedStore, useMore } from '../support/command-line.js';

test('gone: nothing is signed; the next server begins a new log, and verify says which key was lost', async () => {
  const { place, log } = await usedStore();
  fs.rmSync(join(keysDir(place), log));
  const verdict = await colibri(place, ['verify']);
  expect(verdict).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Custody: key: not on this machine/m) });
  expect(await colibri(place, ['prove', '0'])).toMatchObject({ code: 0 }); // signed long ago
  await useMore(place);
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 10,
    stdout: expect.stringMatching(new RegExp(`lost key: .*${log}`)),
  });
});
