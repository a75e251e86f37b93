// colibri checkpoint: signing now, and copies of the head out of reach.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, headFiles, json, keysDir, usedStore, useMore } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { serve } from '../support/serve.js';

test('a log that has not grown is not signed again; one that has is, beside a running server', async () => {
  const { place, log } = await usedStore();
  const before = headFiles(place, log);
  expect(await colibri(place, ['checkpoint'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nothing new'),
  });
  expect(headFiles(place, log)).toEqual(before);

  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  const grown = json(await colibri(place, ['checkpoint', '--json']));
  expect(grown).toMatchObject({ log, fresh: true, root: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(fs.readFileSync(headFiles(place, log).at(-1) ?? '', 'utf8')).toBe(grown.note);
  await peer.call('server_ping', {});
  await peer.end();
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  expect(new Ledger(place.db).ofKind('boot')).toHaveLength(2); // of the servers alone
});

deepTest('--to file: a file or a folder, written again as the log grows', async () => {
  const { place, log } = await usedStore();
  const folder = join(place.dir, 'usb');
  fs.mkdirSync(folder);
  const file = join(folder, `${log}.checkpoint`);
  expect(await colibri(place, ['checkpoint', '--to', `file:${folder}`])).toMatchObject({ code: 0 });
  const first = fs.readFileSync(file, 'utf8');
  await useMore(place);
  expect(await colibri(place, ['checkpoint', '--to', `file:${file}`])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Put at ${file}`),
  });
  expect(fs.readFileSync(file, 'utf8')).not.toBe(first);
  expect(fs.readdirSync(folder)).toEqual([`${log}.checkpoint`]);
});

deepTest('--rotate: a new key, the old log names it; verify finds nothing missing', async () => {
  const { place, log } = await usedStore();
  const rotated = json(await colibri(place, ['checkpoint', '--rotate', '--yes', '--json']));
  expect(rotated).toMatchObject({ previous: log, size: 1, fresh: true });
  expect(fs.readdirSync(keysDir(place)).sort()).toEqual([log, rotated.log].sort());
  const ledger = new Ledger(place.db);
  expect(ledger.ofKind('rotate')).toMatchObject([{ log, successor: rotated.vkey }]);
  await useMore(place);
  expect(new Ledger(place.db).logs).toHaveLength(2);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});
