// colibri backup: a whole copy or none, made beside whoever writes, verified before it gets its name.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, headFiles, json, keysDir, usedStore, useMore } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import { filesBelow, freshPlace, type Place, serve } from '../support/serve.js';
import { filledStore, keepCalling, startCommand, verdictOf, waitUntil } from './store-upkeep.js';

const folderOf = (place: Place): string => {
  const folder = join(place.dir, 'copies');
  fs.mkdirSync(folder, { recursive: true });
  return folder;
};

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8);

test('beside a server that writes and signs: a beginning of its log', { timeout: 60_000 }, async () => {
  const place = await filledStore(1_500, 'CALL');
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const busy = keepCalling(peer);
  const folder = folderOf(place);
  const made = await colibri(place, ['backup', folder, '--json']);
  const more = await colibri(place, ['backup', `${folder}/again.db`]);
  expect(await busy.stop()).toBeGreaterThan(10);
  await peer.end();
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(more).toMatchObject({
    code: 0,
    stdout: `${folder}/again.db\n`,
    stderr: expect.stringMatching(/was verified/),
  });
  const { file, records, verdict, keys, bytes } = json(made);
  expect(fs.readdirSync(folder).sort()).toEqual(['again.db', file.slice(folder.length + 1)].sort());
  expect([0, 10]).toContain(verdict); // calls that were under way have no outcome in it
  expect([keys, bytes, modeOf(file)]).toEqual([null, fs.statSync(file).size, '600']);
  const [copy, store] = [inspectLedger(file), inspectLedger(place.db)];
  expect(copy.problems).toEqual([]);
  expect(copy.records).toHaveLength(records);
  expect(store.records.length).toBeGreaterThan(records);
  expect(store.records.slice(0, records).map(({ leaf }) => leaf)).toEqual(copy.records.map(({ leaf }) => leaf));
  expect(await verdictOf(place)).toBe('0');
});

test('the key goes along only where it was asked for, for nobody else to read', async () => {
  const { place, log } = await usedStore();
  const folder = folderOf(place);
  await colibri(place, ['backup', join(folder, 'without.db')]);
  for (const name of filesBelow(folder))
    expect(fs.readFileSync(join(folder, name), 'latin1')).not.toMatch(/PRIVATE KEY/);
  expect(filesBelow(folder)).toEqual(['without.db']);

  const heads = headFiles(place, log).map((file) => fs.readFileSync(file, 'utf8'));
  const made = await colibri(place, ['backup', join(folder, 'with.db'), '--with-keys']);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/can sign in your name/) });
  const copied = join(folder, 'with.db.keys');
  expect(fs.readFileSync(join(copied, 'keys', log))).toEqual(fs.readFileSync(join(keysDir(place), log)));
  const kept = fs.readdirSync(join(copied, 'heads', log)).sort((a, b) => Number(a) - Number(b));
  expect(kept.map((size) => fs.readFileSync(join(copied, 'heads', log, size), 'utf8'))).toEqual(heads);
  for (const name of filesBelow(copied)) expect(modeOf(join(copied, name))).toBe('600');
  for (const name of ['', 'keys', 'heads', join('heads', log)]) expect(modeOf(join(copied, name))).toBe('700');

  // Both on another machine, under the same user: the log goes on with its key.
  const there = freshPlace();
  fs.mkdirSync(join(there.dir, 'store'));
  fs.copyFileSync(join(folder, 'with.db'), there.db);
  fs.mkdirSync(join(there.home, 'state'));
  fs.cpSync(copied, join(there.home, 'state', 'colibri'), { recursive: true });
  await useMore(there);
  expect(await verdictOf(there)).toBe('0');
  expect(inspectLedger(there.db).logs).toHaveLength(1);
});

test('nothing is written over, and no folder is made', async () => {
  const { place } = await usedStore();
  const folder = folderOf(place);
  const file = join(folder, 'there.db');
  fs.writeFileSync(file, 'mine');
  fs.mkdirSync(join(folder, 'new.db.keys'));
  const refusals: readonly (readonly [string[], RegExp])[] = [
    [[file], /there\.db already exists/],
    [[join(folder, 'new.db'), '--with-keys'], /new\.db\.keys is already there/],
    [[join(folder, 'no', 'new.db')], /is not a folder/],
    [[`${join(folder, 'no')}/`], /is not a folder/],
    [[place.db], /already exists/],
  ];
  for (const [args, told] of refusals) {
    const ran = await colibri(place, ['backup', ...args]);
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
  }
  expect(fs.readdirSync(folder).sort()).toEqual(['new.db.keys', 'there.db']);
  expect(fs.readFileSync(file, 'utf8')).toBe('mine');
  expect(await colibri(freshPlace(), ['backup'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no store at/),
  });
});

test('a store that contradicts itself, or went back, gets no backup', async () => {
  const { place, log } = await usedStore();
  const folder = folderOf(place);
  const good = join(folder, 'good.db');
  await colibri(place, ['backup', good]);
  await useMore(place);
  const target = join(folder, 'bad.db');
  const back = await colibri(place, ['backup', target, '--db', good]);
  expect(back).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not verify \(20\) and was removed/) });
  const db = new Database(place.db);
  db.exec(`UPDATE actions SET tool = 'another' WHERE seq = 4`);
  db.close();
  const broken = await colibri(place, ['backup', target, '--with-keys']);
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/\(20\).*Column tool differs from the body/) });
  expect(fs.readdirSync(folder)).toEqual(['good.db']);
  expect(headFiles(place, log).length).toBeGreaterThan(0);
});

test('killed in the middle: nothing under its name; interrupted: nothing at all', { timeout: 60_000 }, async () => {
  const place = await filledStore(400, 'CALL', 60_000);
  const folder = folderOf(place);
  const target = join(folder, 'copy.db');
  const under = async (signal: NodeJS.Signals) => {
    const { child, ended } = startCommand(place, ['backup', target]);
    await waitUntil(() => fs.readdirSync(folder).some((name) => name.endsWith('.part')));
    child.kill(signal);
    return ended;
  };
  expect(await under('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  expect(fs.existsSync(target)).toBe(false);
  for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name));
  expect(await under('SIGINT')).toMatchObject({ signal: 'SIGINT' });
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await verdictOf(place)).toBe('0');
  expect(await colibri(place, ['backup', target])).toMatchObject({ code: 0 });
});

test('a disk that takes no more', async () => {
  const place = await filledStore(100, 'CALL', 60_000);
  const folder = folderOf(place);
  const full = await startCommand(place, ['backup', folder], { fileKiB: 2_000 }).ended;
  expect(full).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/disk|space/i) });
  expect(full.stderr).not.toContain('    at ');
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await verdictOf(place)).toBe('0');
});

test('READONLY writes the copy and nothing else', async () => {
  const { place } = await usedStore();
  const before = fs.readFileSync(place.db);
  const made = await colibri(place, ['backup', folderOf(place)], { env: { COLIBRI_MODE: 'READONLY' } });
  expect(made).toMatchObject({ code: 0 });
  expect(fs.readFileSync(place.db).equals(before)).toBe(true);
});
