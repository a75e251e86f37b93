// colibri restore <backup>: right after the store was deleted, damaged or set back; asked about; refused; and killed at any moment.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { colibri, copyStore, json, replaceStore, rows, usedStore, useMore } from '../support/command-line.js';
import { MAIN, type Place, serve } from '../support/serve.js';
import { answerQuestions, CTRL_C, hasTerminals } from '../support/terminal.js';

vi.setConfig({ testTimeout: 240_000 });

const backedUp = async (): Promise<{ place: Place; file: string; log: string }> => {
  const { place, log } = await usedStore();
  const { file } = json(await colibri(place, ['backup', '--json']));
  await useMore(place);
  return { place, file, log };
};

const restored = async (place: Place, file: string) => json(await colibri(place, ['restore', file, '--yes', '--json']));

const goesOn = async (place: Place, lost: number): Promise<void> => {
  await useMore(place);
  const verdict = json(await colibri(place, ['verify', '--json']));
  expect(verdict).toMatchObject({ exit: lost > 0 ? 10 : 0, broken_count: 0 });
};

const asideOf = (place: Place): string[] =>
  fs.readdirSync(dirname(place.db)).filter((name) => name.includes('.replaced-') && !name.endsWith('.part'));

describe('the backup takes the place of', () => {
  test('a store that was deleted', async () => {
    const { place, file } = await backedUp();
    for (const end of ['', '-wal', '-shm']) fs.rmSync(`${place.db}${end}`, { force: true });
    const told = await colibri(place, ['restore']);
    expect(told).toMatchObject({ code: 10, stdout: expect.stringContaining(file) });
    const { lost, moved_to } = await restored(place, file);
    expect(moved_to).toBeNull();
    expect(lost).toBeGreaterThan(0);
    await goesOn(place, lost);
  });

  test('a store that was deleted and begun anew', async () => {
    const { place, file } = await backedUp();
    for (const end of ['', '-wal', '-shm']) fs.rmSync(`${place.db}${end}`, { force: true });
    await useMore(place);
    const { lost, moved_to } = await restored(place, file);
    expect(fs.existsSync(join(moved_to, 'colibri.db'))).toBe(true);
    await goesOn(place, lost);
  });

  test('a store that is damaged', async () => {
    const { place, file } = await backedUp();
    const bytes = fs.readFileSync(place.db).fill(0x5a, 100, 9_000);
    fs.writeFileSync(place.db, bytes);
    const { lost, moved_to } = await restored(place, file);
    expect(fs.readFileSync(join(moved_to, 'colibri.db')).equals(bytes)).toBe(true);
    await goesOn(place, lost);
  });

  test('a store that is older still', async () => {
    const { place } = await usedStore();
    const older = copyStore(place);
    await useMore(place);
    const { file } = json(await colibri(place, ['backup', '--json']));
    await useMore(place);
    replaceStore(place, older);
    expect(await colibri(place, ['verify'])).toMatchObject({ code: 20 });
    const { lost } = await restored(place, file);
    expect(lost).toBeGreaterThan(0);
    await goesOn(place, lost);
  });

  test('a store that has nothing more', async () => {
    const { place } = await usedStore();
    const { file } = json(await colibri(place, ['backup', '--json']));
    expect(await restored(place, file)).toMatchObject({ lost: 0, steps: [] });
    await goesOn(place, 0);
  });
});

test('refused, and nothing is changed: in use, damaged, the store itself, no store, nobody to ask', async () => {
  const { place, file } = await backedUp();
  const damaged = join(place.dir, 'damaged.db');
  fs.writeFileSync(damaged, fs.readFileSync(file).fill(0x5a, 5_000, 20_000));
  const size = (): unknown => rows(place, 'SELECT size FROM logs');
  const before = size();
  const refusals: readonly (readonly [string[], RegExp])[] = [
    [['restore', damaged, '--yes'], /./],
    [['restore', place.db, '--yes'], /is the store itself/],
    [['restore', join(place.dir, 'none.db'), '--yes'], /There is no backup/],
    [['restore', file], /no terminal to ask you on/],
    [['restore', '--yes'], /No backup is named[\s\S]*accept-loss/],
  ];
  for (const [args, told] of refusals)
    expect(await colibri(place, args), args.join(' ')).toMatchObject({ code: 1, stderr: expect.stringMatching(told) });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  expect(await colibri(place, ['restore', file, '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Colibri process.*use the store/),
  });
  await peer.end();
  expect(asideOf(place)).toEqual([]);
  expect(JSON.stringify(size())).not.toBe(JSON.stringify(before)); // the peer has written; nothing went back
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test.skipIf(!hasTerminals)('asks, and says what would be lost; no and Ctrl-C change nothing', async () => {
  const { place, file } = await backedUp();
  const at = { project: place.dir, place };
  const no = await answerQuestions(at, ['restore', file], ['no\n']);
  expect(no.text).toMatch(/\d+ records since then would be lost[\s\S]*Nothing was restored/);
  expect(no.code).toBe(1);
  expect((await answerQuestions(at, ['restore', file], [CTRL_C])).code).toBe(130);
  expect(asideOf(place)).toEqual([]);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('killed at any moment: the files of before are at their place or in the folder, whole', async () => {
  const { place, file } = await backedUp();
  const kept = copyStore(place);
  const countOf = (rowsOf: unknown): string => JSON.stringify(rowsOf);
  const all = countOf(rows(place, 'SELECT log_id, size FROM logs'));
  const begun = Date.now();
  await restored(place, file);
  const wholeMs = Date.now() - begun;
  let moved = 0;
  for (let step = 0; step < 16; step += 1) {
    const ms = wholeMs * (0.5 + step / 30);
    replaceStore(place, kept);
    for (const name of asideOf(place)) fs.rmSync(join(dirname(place.db), name), { recursive: true });
    const child = spawn(process.execPath, [MAIN, 'restore', file, '--yes'], {
      cwd: place.dir,
      env: place.env,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    // Every fourth one as soon as the files of before have moved, however busy the machine is.
    if (step % 4 < 3) await sleep(ms);
    else while (asideOf(place).length === 0 && child.exitCode === null) await sleep(1);
    child.kill('SIGKILL');
    await ended;
    const [aside] = asideOf(place);
    moved += aside === undefined ? 0 : 1;
    const old = aside === undefined ? place : { ...place, db: join(dirname(place.db), aside, 'colibri.db') };
    expect(countOf(rows(old, 'SELECT log_id, size FROM logs')), `killed after ${ms} ms`).toBe(all);
  }
  expect(moved).toBeGreaterThan(0);
});
