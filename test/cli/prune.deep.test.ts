// colibri prune: old arguments go, every proof stands, servers go on.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, json, rows, usedStore, useMore } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import { freshPlace, serve } from '../support/serve.js';
import {
  countInFiles,
  countRows,
  filledStore,
  keepCalling,
  momentNow,
  prunes,
  startCommand,
  verdictOf,
  waitUntil,
} from './store-upkeep.js';

test('beside a server that writes all the while: no call fails, verify never complains', {
  timeout: 90_000,
}, async () => {
  const place = await filledStore(4_000, 'OLD');
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const before = await momentNow();
  const busy = keepCalling(peer);
  const pruning = startCommand(place, ['prune', '--before', before, '--yes', '--json']);
  expect(await verdictOf(place)).toBe('0');
  const done = await pruning.ended;
  expect(done).toMatchObject({ code: 0 });
  expect(json(done).pruned).toBe(4_000);
  expect(await verdictOf(place)).toBe('0');
  expect(await busy.stop()).toBeGreaterThan(10);
  await peer.end();
  expect(await verdictOf(place)).toBe('0');
  expect(countInFiles(place, /OLD\d+END/g)).toBe(0);
  expect(inspectLedger(place.db).problems).toEqual([]);
});

test('clocks step back: each call is judged by its own record', async () => {
  const place = await filledStore(6, 'CALL');
  // Nobody can turn the clock of a running server back, so the moment lies between calls: the third is the first that stays.
  const calls = rows<{ seq: number; at: string }>(
    place,
    `SELECT seq, at FROM actions WHERE kind = 'call.enter' ORDER BY seq`,
  );
  const db = new Database(place.db);
  const early = '2020-01-01T00:00:00.000Z';
  const set = db.prepare('UPDATE actions SET at = ? WHERE seq = ?');
  for (const [i, { seq }] of calls.entries()) if (i % 3 !== 1) set.run(early, seq);
  db.close();
  const done = json(await colibri(place, ['prune', '--before', '2021-01-01', '--yes', '--json']));
  expect(done).toMatchObject({ pruned: 4, records: 3 });
  const left = rows<{ json: string }>(place, 'SELECT json FROM payloads ORDER BY seq');
  expect(left.map((row) => JSON.parse(row.json).text)).toEqual(['CALL1END', 'CALL4END']);
});

test('arguments of a log that was closed are pruned by the one that took over', async () => {
  const { place, log } = await usedStore();
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({ code: 0 });
  await useMore(place);
  const kept = countRows(place.db, 'payloads');
  const done = json(await colibri(place, ['prune', '--before', await momentNow(), '--yes', '--json']));
  expect(done).toMatchObject({ pruned: kept });
  expect(prunes(place).map(({ of }) => of)).toEqual([log, undefined]);
  expect(inspectLedger(place.db).problems).toEqual([]);
  expect(await verdictOf(place)).toBe('0');
  const head = join(place.dir, 'heads');
  fs.mkdirSync(head);
  await colibri(place, ['checkpoint', '--to', `file:${head}`]);
  const [file = ''] = fs.readdirSync(head);
  expect(await verdictOf(place, ['--since', join(head, file)])).toBe('0');
});

test('a payload that goes without a record, and one that comes back', async () => {
  const place = await filledStore(20, 'CALL');
  const copy = rows<{ log_id: string; seq: number; salt: string; json: string }>(place, 'SELECT * FROM payloads');
  await colibri(place, ['prune', '--before', await momentNow(), '--yes']);
  await useMore(place, 1);
  const change = (act: (db: Database.Database) => void) => {
    const db = new Database(place.db);
    act(db);
    db.close();
  };
  const [row] = copy;
  change((db) => db.prepare('INSERT INTO payloads VALUES (?, ?, ?, ?)').run(...Object.values(row ?? {})));
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 20,
    stdout: expect.stringContaining('was pruned but is there'),
  });
  change((db) => db.prepare('DELETE FROM payloads WHERE seq = ?').run(row?.seq));
  expect(await verdictOf(place)).toBe('0');
  change((db) => db.exec('DELETE FROM payloads'));
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 20,
    stdout: expect.stringContaining('The arguments are missing, and no record says why'),
  });
});

test('killed at any moment: nothing without its record, and the rest is done the next time', {
  timeout: 120_000,
}, async () => {
  const place = await filledStore(300, 'OLD', 60_000);
  const before = await momentNow();
  const left = () => countRows(place.db, 'payloads');
  let sawSome = false;
  for (let tries = 0; tries < 5 && left() > 0; tries++) {
    const known = countRows(place.db, 'actions', `kind = 'prune'`);
    const { child, ended } = startCommand(place, ['prune', '--before', before, '--yes']);
    await waitUntil(() => countRows(place.db, 'actions', `kind = 'prune'`) > known || child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
    sawSome ||= left() > 0;
    expect(await verdictOf(place)).toBe('0');
  }
  expect(sawSome).toBe(true);
  expect(await colibri(place, ['prune', '--before', before, '--yes'])).toMatchObject({ code: 0 });
  expect(left()).toBe(0);
  expect(await verdictOf(place)).toBe('0');
  expect(inspectLedger(place.db).problems).toEqual([]);
});

test('a disk that takes no more: what was done stays done and is recorded', { timeout: 60_000 }, async () => {
  const place = await filledStore(200, 'OLD', 60_000);
  const before = await momentNow();
  const full = await startCommand(place, ['prune', '--before', before, '--yes'], { fileKiB: 4_000 }).ended;
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/disk|space/i) });
  expect(full.stderr).not.toContain('    at ');
  const left = countRows(place.db, 'payloads');
  expect(left).toBeGreaterThan(0);
  expect(await verdictOf(place)).toBe('0');
  expect(json(await colibri(place, ['prune', '--before', before, '--yes', '--json'])).pruned).toBe(left);
  expect(await verdictOf(place)).toBe('0');
});

test('--compact gives the space back, and not under a server', { timeout: 60_000 }, async () => {
  const place = await filledStore(100, 'OLD', 20_000);
  const before = await momentNow();
  const was = fs.statSync(place.db).size;
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const refused = await colibri(place, ['prune', '--before', before, '--compact', '--yes']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(new RegExp(`process ${peer.pid}`)) });
  expect(refused.stdout).toMatch(/Pruned the arguments of 100 calls/);
  expect(refused.stdout).toMatch(/MB of the file are free/);
  await peer.end();
  const full = await startCommand(place, ['prune', '--before', before, '--compact', '--yes'], { fileKiB: 64 }).ended;
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/was not made smaller: .*disk/) });
  expect(full.stdout).toMatch(/No arguments are kept/);
  expect(fs.statSync(place.db).size).toBeGreaterThanOrEqual(was);
  const done = await colibri(place, ['prune', '--before', before, '--compact', '--yes']);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/The file of the store became .* smaller/) });
  expect(fs.statSync(place.db).size).toBeLessThan(was / 4);
  expect(await verdictOf(place)).toBe('0');
});

test('refused: READONLY, a date to come, no date, nobody to ask', async () => {
  const place = await filledStore(3, 'CALL');
  const before = await momentNow();
  const size = inspectLedger(place.db).records.length;
  const readOnly = { env: { COLIBRI_MODE: 'READONLY' } };
  expect(await colibri(place, ['prune', '--before', before, '--yes'], readOnly)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('READONLY forbids it'),
  });
  expect(await colibri(place, ['prune', '--before', before, '--dry-run'], readOnly)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Would prune the arguments of 3 calls'),
  });
  const refusals: readonly (readonly [string[], RegExp])[] = [
    [['--before', '2999-01-01', '--yes'], /is in the future/],
    [['--before', 'soon', '--yes'], /is not a date.*30d/],
    [['--before', '2026-11-15T18:30', '--yes'], /is not a date/],
    [['--before', before], /no terminal to ask you on.*--yes/],
    [['--yes'], /--before/],
  ];
  for (const [args, told] of refusals) {
    const ran = await colibri(place, ['prune', ...args]);
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
  }
  expect(await colibri(freshPlace(), ['prune', '--before', '30d', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no store at'),
  });
  expect(inspectLedger(place.db).records).toHaveLength(size);
  const young = await colibri(place, ['prune', '--before', '1h', '--yes']);
  expect(young).toMatchObject({ code: 0, stdout: expect.stringContaining('No arguments are kept') });
});
