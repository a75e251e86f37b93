// A store that was deleted while its heads, keys and backups are still there: the next one says so, until a person accepts it.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';
import { bodiesOf, expectHealthy, logsOf, ping, verdict } from './stores.js';

test('deleted and begun anew: start, status, doctor, verify and restore say it; accepted, all is well', async () => {
  const place = freshPlace();
  await ping(place);
  const [{ log_id: log, size } = { log_id: '', size: 0 }] = logsOf(place);
  const backups = `${place.db}.backups`;
  fs.mkdirSync(backups, { mode: 0o700 });
  fs.copyFileSync(place.db, `${backups}/20261115T183000123Z-v5.db`);
  for (const end of ['', '-wal', '-shm']) fs.rmSync(`${place.db}${end}`, { force: true });
  const { peer } = await ping(place);
  expect(peer.stderr).toContain(`A log of ${size} signed records (${log}) was in another store at this path`);
  const told = await verdict(place);
  expect(told).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'begun anew' }] });
  expect(told.missing[0].message).toContain(`${backups}/20261115T183000123Z-v5.db`);
  expect((await colibri(place, ['status'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
    `A log of ${size} signed records`,
  );
  expect(await colibri(place, ['doctor'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('was in another store at this path'),
  });
  const undecided = await colibri(place, ['restore', '--json']);
  expect(undecided.code).toBe(10);
  expect(json(undecided)).toMatchObject({ rolled_back: false, begun_anew: [{ log, size }] });

  expect(await colibri(place, ['accept-loss', 'a fresh start', '--yes'])).toMatchObject({ code: 0 });
  expect(bodiesOf(place, 'accept')).toMatchObject([
    { what: 'begun anew', path: place.db, logs: [{ log, size }], reason: 'a fresh start' },
  ]);
  await expectHealthy(place);
  const quiet = await ping(place);
  expect(quiet.peer.stderr).not.toContain('was in another store at this path');
  expect(await colibri(place, ['doctor'])).toMatchObject({ stdout: expect.stringContaining('0 problems') });
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 0 });
});

test('deleted, and nothing begun yet: status does not take it for a place where nothing ever was', async () => {
  const place = freshPlace();
  const { COLIBRI_DB_PATH: _, ...env } = place.env;
  const usual = { ...place, env };
  expect((await colibri(usual, ['status'])).stdout).not.toContain('was in another store at this path');
  await ping(usual);
  const { store } = json(await colibri(usual, ['status', '--json']));
  for (const end of ['', '-wal', '-shm']) fs.rmSync(`${store.path}${end}`, { force: true });
  expect((await colibri(usual, ['status'])).stdout).toContain('signed records');
});
