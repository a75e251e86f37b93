// colibri restore <backup>, killed before each change that it makes on the disk: the files of before are whole, at their place or in the folder
// beside it, and the same command, run again, ends the work.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { colibri, copyStore, json, replaceStore, rows, usedStore, useMore } from '../support/command-line.js';
import { MAIN, type Place } from '../support/serve.js';

vi.setConfig({ testTimeout: 600_000 });

const PRELOAD = fileURLToPath(new URL('../children/die-at-step.mjs', import.meta.url));

const YESTERDAY = new Date(Date.now() - 86_400_000);

const killedAt = (place: Place, file: string, step: number) =>
  spawnSync(process.execPath, ['--import', PRELOAD, MAIN, 'restore', file, '--yes'], {
    cwd: place.dir,
    env: { ...place.env, DIE_AT: String(step), DIE_IN: dirname(place.db) },
    encoding: 'utf8',
  });

const beside = (place: Place): string[] =>
  fs.readdirSync(dirname(place.db)).filter((name) => name.startsWith('colibri.db.replaced-'));

const sizesIn = (place: Place): string => JSON.stringify(rows(place, 'SELECT log_id, size FROM logs ORDER BY log_id'));

test('killed before each step', async () => {
  const { place } = await usedStore();
  const { file } = json(await colibri(place, ['backup', '--json']));
  await useMore(place);
  const kept = copyStore(place);
  const heads = join(place.dir, 'heads-of-before');
  fs.cpSync(join(place.home, 'state'), heads, { recursive: true });
  const again = (): void => {
    fs.rmSync(join(place.home, 'state'), { recursive: true });
    fs.cpSync(heads, join(place.home, 'state'), { recursive: true });
    for (const name of beside(place)) fs.rmSync(join(dirname(place.db), name), { recursive: true });
    replaceStore(place, kept);
    fs.writeFileSync(`${place.db}-wal`, ''); // so that there is a file beside the database
  };
  again();
  const before = sizesIn(place);
  again();
  const [, steps = ''] = /steps (\d+)/.exec(killedAt(place, file, 0).stderr) ?? [];
  expect(Number(steps)).toBeGreaterThan(6);
  let moved = 0;
  for (let step = 1; step <= Number(steps); step += 1) {
    again();
    const { signal, stderr } = killedAt(place, file, step);
    expect(signal, stderr).toBe('SIGKILL');
    const whole = beside(place).filter((name) => !name.endsWith('.part'));
    moved += whole.length;
    const old = whole.length === 0 ? place : { ...place, db: join(dirname(place.db), whole[0] ?? '', 'colibri.db') };
    expect(sizesIn(old), stderr).toBe(before);
    for (const name of fs.readdirSync(dirname(place.db)).filter((left) => left.endsWith('.part')))
      fs.utimesSync(join(dirname(place.db), name), YESTERDAY, YESTERDAY); // younger ones could be of a process in another container
    // The same command ends the work; what was begun and not ended is not left lying about.
    expect(await colibri(place, ['restore', file, '--yes']), stderr).toMatchObject({ code: 0 });
    const verdict = json(await colibri(place, ['verify', '--json']));
    expect(verdict, stderr).toMatchObject({ exit: 10, broken_count: 0 });
    const names = fs.readdirSync(dirname(place.db));
    expect(
      names.filter((name) => name.includes('.part')),
      stderr,
    ).toEqual([]);
  }
  expect(moved).toBeGreaterThan(0);
});
