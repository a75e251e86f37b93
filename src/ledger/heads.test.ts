import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/stores.js';
import { FILE_LIMITS } from '../files/limits.js';
import { headsIn } from './heads.js';
import { LEDGER_LIMITS } from './limits.js';

const LOG = 'a'.repeat(32);
const anything = () => true;

/** The id of a process that has ended. */
const deadProcess = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
};

describe('heads', () => {
  it('keeps one file a size and never writes it again', async () => {
    const dir = temporaryFolder();
    const heads = headsIn(dir);
    expect(heads.newest(LOG, anything)).toBeUndefined();
    await heads.add(LOG, { size: 7, note: 'seven' });
    await heads.add(LOG, { size: 10, note: 'ten' });
    await heads.add(LOG, { size: 7, note: 'other' });
    expect(readFileSync(join(dir, LOG, '7'), 'utf8')).toBe('seven');
    expect(heads.newest(LOG, anything)).toEqual({ size: 10, note: 'ten' });
    expect(readdirSync(join(dir, LOG)).toSorted()).toEqual(['10', '7']);
  });

  it('passes over what is not ours', async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, LOG));
    for (const name of ['99.1.part', '007', 'x', '12']) writeFileSync(join(dir, LOG, name), 'foreign');
    const heads = headsIn(dir);
    await heads.add(LOG, { size: 5, note: 'ours' });
    expect(heads.newest(LOG, (note) => note === 'ours')).toEqual({ size: 5, note: 'ours' });
  });

  it('takes files alone for heads', async () => {
    const dir = temporaryFolder();
    const heads = headsIn(dir);
    await heads.add(LOG, { size: 5, note: 'ours' });
    mkdirSync(join(dir, LOG, '99'));
    symlinkSync('nowhere', join(dir, LOG, '98'));
    expect(heads.newest(LOG, anything)).toEqual({ size: 5, note: 'ours' });
    expect(heads.largest(LOG)).toBe(5);
    await expect(heads.add(LOG, { size: 99, note: 'x' })).rejects.toThrow(/EEXIST/); // nothing would be known of it
    for (let size = 100; size < 100 + LEDGER_LIMITS.headsKept; size++)
      await heads.add(LOG, { size, note: String(size) });
    await heads.thin(LOG);
    expect(readdirSync(join(dir, LOG))).toEqual(expect.arrayContaining(['98', '99']));
  });

  it('keeps the last ones and the last of each day', async () => {
    const dir = temporaryFolder();
    const heads = headsIn(dir);
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n, 12));
    for (let size = 1; size <= LEDGER_LIMITS.headsKept + 40; size++) {
      await heads.add(LOG, { size, note: String(size) });
      utimesSync(join(dir, LOG, String(size)), day(Math.floor(size / 10)), day(Math.floor(size / 10)));
    }
    await heads.add(LOG, { size: 1_000, note: 'last' });
    await heads.thin(LOG);
    const kept = readdirSync(join(dir, LOG)).map(Number);
    expect(kept.filter((size) => size > 41)).toHaveLength(LEDGER_LIMITS.headsKept);
    expect(kept.filter((size) => size <= 41).toSorted((a, b) => a - b)).toEqual([9, 19, 29, 39]);
  });

  it('takes away what killed processes did not finish, and nothing of those that may live', async () => {
    const dir = temporaryFolder();
    const heads = headsIn(dir);
    await heads.add(LOG, { size: 3, note: 'three' });
    const dead = await deadProcess();
    const put = (name: string, ageMs: number) => {
      const at = new Date(Date.now() - ageMs);
      writeFileSync(join(dir, LOG, name), 'half');
      utimesSync(join(dir, LOG, name), at, at);
    };
    const { unfinishedGraceMs: grace, unfinishedKeptMs: day } = FILE_LIMITS;
    put(`7.${dead}.part`, 2 * grace);
    put(`7.${process.pid}.part`, 2 * grace); // of a process that had our number
    put(`8.${process.ppid}.part`, 2 * day); // nobody writes for a day: another one has its number now
    const left = [`9.${dead}.part`, `9.${process.ppid}.part`, `x.${dead}.part`, '9.part'];
    put(`9.${dead}.part`, 0);
    put(`9.${process.ppid}.part`, day / 2);
    put(`x.${dead}.part`, 2 * day);
    put('9.part', 2 * day);
    await heads.thin(LOG);
    expect(readdirSync(join(dir, LOG)).toSorted()).toEqual([...left, '3'].toSorted());
  });

  it.skipIf(process.getuid?.() === 0)('says when it cannot write', async () => {
    const dir = temporaryFolder();
    chmodSync(dir, 0o500);
    await expect(headsIn(dir).add(LOG, { size: 1, note: 'x' })).rejects.toThrow(/EACCES/);
  });
});
