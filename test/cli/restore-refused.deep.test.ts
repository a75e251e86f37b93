// colibri restore <backup> where it cannot go on: a backup of another store or of a newer format, a folder that may not be written, a full disk.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { colibri, json, rows, usedStore, useMore } from '../support/command-line.js';
import type { Place } from '../support/serve.js';
import { startCommand } from './store-upkeep.js';

vi.setConfig({ testTimeout: 120_000 });

const NOBODY = 65_534;

const backedUp = async (): Promise<{ place: Place; file: string }> => {
  const { place } = await usedStore();
  const { file } = json(await colibri(place, ['backup', '--json']));
  await useMore(place);
  return { place, file };
};

const sizesIn = (place: Place): unknown => rows(place, 'SELECT log_id, size FROM logs ORDER BY log_id');

const leftIn = (place: Place): string[] =>
  fs.readdirSync(dirname(place.db)).filter((name) => name.includes('.part') || name.includes('.replaced-'));

test('a backup of another store is said to be one, and only a person who says so gets it', async () => {
  const { place, file } = await backedUp();
  const other = await backedUp();
  const before = sizesIn(place);
  const told = await colibri(place, ['restore', other.file, '--yes']);
  expect(told).toMatchObject({ code: 1, stderr: expect.stringContaining('of another store') });
  expect(sizesIn(place)).toEqual(before);
  expect(leftIn(place)).toEqual([]);
  expect(await colibri(place, ['restore', other.file, '--yes', '--other-store'])).toMatchObject({ code: 0 });
  expect(leftIn(place)).toHaveLength(1);
  // The first store may come back: its logs were here.
  expect(await colibri(place, ['restore', file, '--yes'])).toMatchObject({ code: 0 });
});

test('a backup of a newer format', async () => {
  const { place, file } = await backedUp();
  const newer = join(place.dir, 'newer.db');
  fs.copyFileSync(file, newer);
  const db = new Database(newer);
  const version = Number(db.pragma('user_version', { simple: true }));
  db.pragma(`user_version = ${version + 7}`);
  db.close();
  const before = sizesIn(place);
  const told = await colibri(place, ['restore', newer, '--yes']);
  expect(told).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer|upgrade/i) });
  expect(told.stderr).not.toContain('    at ');
  expect(sizesIn(place)).toEqual(before);
  expect(leftIn(place)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('a folder that may not be written', async () => {
  const { place, file } = await backedUp();
  const before = sizesIn(place);
  const elsewhere = join(place.dir, 'backup.db');
  fs.copyFileSync(file, elsewhere);
  for (const path of [place.dir, place.home, dirname(place.db)]) fs.chmodSync(path, 0o755);
  for (const path of [elsewhere, place.db]) fs.chmodSync(path, 0o644);
  const state = join(place.dir, 'state-of-nobody');
  fs.mkdirSync(state);
  fs.chownSync(state, NOBODY, NOBODY);
  const told = await colibri(place, ['restore', elsewhere, '--yes'], { uid: NOBODY, env: { XDG_STATE_HOME: state } });
  expect(told.code).toBe(1);
  expect(told.stderr).not.toContain('    at ');
  expect(told.stderr.trim().split('\n').at(-1)).toMatch(/^colibri: .*(may not|cannot).*\. [A-Z].*/);
  expect(sizesIn(place)).toEqual(before);
  expect(leftIn(place)).toEqual([]);
});

test('a full disk', async () => {
  const { place, file } = await backedUp();
  const before = sizesIn(place);
  for (const fileKiB of [4, 32, 64, 96]) {
    const told = await startCommand(place, ['restore', file, '--yes'], { fileKiB }).ended;
    expect(told, told.stderr).toMatchObject({ code: 1, stdout: '' });
    expect(told.stderr).toMatch(/disk|space|room/i);
    expect(sizesIn(place)).toEqual(before);
    expect(leftIn(place)).toEqual([]);
  }
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});
