// What commands say to somebody who named the wrong thing: what it is, and what to give instead.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, usedStore } from '../support/command-line.js';

test('a name of the wrong kind is told from a name of nothing', { timeout: 120_000 }, async () => {
  const { place } = await usedStore();
  const file = (name: string, text: string): string => {
    const path = join(place.dir, name);
    fs.writeFileSync(path, text);
    return path;
  };
  const proof = join(place.dir, 'p.tlog-proof');
  await colibri(place, ['prove', '0', '--out', proof]);
  const page = join(place.dir, 'p.html');
  await colibri(place, ['page', '--out', page]);
  const backup = join(place.dir, 'nofile.db');
  const mistakes: readonly (readonly [string[], number, RegExp])[] = [
    [['restore', 'nofile.db'], 1, new RegExp(`There is no backup ${backup}\\..*colibri restore`)],
    [['restore', 'no/such/file.db'], 1, /There is no backup/],
    [['nodes', 'accept', 'foo'], 1, /colibri checkpoint --json/],
    [['verify', proof, '--key', 'colibri.dev/log/x'], 30, /neither a key .* nor a file/],
    [['verify', proof, '--key', 'vkye.txt'], 30, /vkye\.txt.* neither a key .* nor a file/],
    [['verify', page, '--key', 'vkye.txt'], 30, /neither a key .* nor a file/],
    [['verify', 'T-0001'], 30, /T-0001 is a task, not a file.*colibri verify --task T-0001/],
    [['log', 'T-0001'], 1, /is a task.*colibri log --task T-0001.*colibri tasks T-0001/],
    [['prove', 't-1'], 1, /t-1 is a task.*colibri tasks t-1/],
    [['verify', file('x.txt', 'hello\n')], 30, /not a complete .*colibri prove --out.*--head.*--receipts/],
    [['prune', '--before', '5 o clock', '--dry-run'], 1, /yesterday/],
    [['prune', '--before', '3m', '--dry-run'], 1, /is not a date/],
  ];
  for (const [args, code, told] of mistakes) {
    const ran = await colibri(place, args);
    expect(ran.code, args.join(' ')).toBe(code);
    expect((ran.stdout + ran.stderr).replace(/\s+/g, ' '), args.join(' ')).toMatch(told);
  }
  for (const before of ['yesterday', 'today', '00:00', '1d', '2026-01-01'])
    expect(await colibri(place, ['prune', '--before', before, '--dry-run']), before).toMatchObject({ code: 0 });
});

test('a filter that no call has names the nearest that some call has, and only then', { timeout: 60_000 }, async () => {
  const { place } = await usedStore();
  const said = async (...args: string[]): Promise<string> => (await colibri(place, ['log', ...args])).stderr;
  expect(await said('--tool', 'task_updaet')).toMatch(
    /No record matches the filters\.\n.*the nearest is task_update\./,
  );
  expect(await said('--client', 'rwa')).toContain('the nearest is raw.');
  expect(await said('--tool', 'something_else_altogether')).not.toContain('nearest');
  expect(await said('--tool', 'task_update', '--client', 'nobody')).not.toContain('nearest');
  expect(await said('--tool', 'task_updaet', '--tool', 'task_update')).toBe('');
});

test.runIf(process.getuid?.() === 0)(
  'a folder that may not be written is named, not the disk',
  { timeout: 60_000 },
  async () => {
    const uid = 65_534;
    const { place } = await usedStore();
    const closed = join(place.dir, 'closed');
    fs.mkdirSync(closed, { mode: 0o555 });
    for (const path of [place.dir, place.home]) fs.chownSync(path, uid, uid);
    const owned = (dir: string): void => {
      for (const one of fs.readdirSync(dir, { recursive: true })) {
        const path = join(dir, String(one));
        if (path !== closed) fs.chownSync(path, uid, uid);
      }
    };
    owned(place.dir);
    owned(place.home);
    for (const args of [
      ['export', '--out', join(closed, 'x.jsonl')],
      ['backup', join(closed, 'x.db')],
    ]) {
      const ran = await colibri(place, args, { uid });
      expect(ran, args.join(' ')).toMatchObject({ code: 1 });
      expect(ran.stderr).toContain(`no permission to write into ${closed}.`);
      expect(ran.stderr).not.toMatch(/disk|\.part/);
    }
  },
);
