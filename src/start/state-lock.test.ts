import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { holdingState, stateLockFile } from './state-lock.js';

const folder = (): string => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-lock-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
};

test('two that change the same files do it one after the other', async () => {
  const dir = join(folder(), 'not', 'there', 'yet');
  const order: string[] = [];
  const one = (name: string) =>
    holdingState(dir, async () => {
      order.push(`${name} begins`);
      await sleep(30);
      order.push(`${name} ends`);
    });
  await Promise.all([one('a'), one('b')]);
  expect([order.slice(0, 2), order.slice(2)].toSorted()).toEqual([
    ['a begins', 'a ends'],
    ['b begins', 'b ends'],
  ]);
  expect(fs.statSync(stateLockFile(dir)).size).toBe(0);
});

test('the lock is free again after a failure', async () => {
  const dir = folder();
  const fail = () => {
    throw new Error('no');
  };
  await expect(holdingState(dir, fail)).rejects.toThrow('no');
  await expect(holdingState(dir, () => 'yes', { waitMs: 0 })).resolves.toBe('yes');
});

test('who waits longer than a moment says so once, and gives up in a clear sentence', async () => {
  const dir = folder();
  const told: string[] = [];
  await holdingState(dir, async () => {
    const waiting = { waitMs: 1_300, onWait: (sentence: string) => void told.push(sentence) };
    await expect(holdingState(dir, () => 'never', waiting)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: 'Another colibri command is still changing the same files.',
      remedy: expect.stringContaining('Nothing was changed'),
    });
  });
  expect(told).toEqual(['waiting for another colibri command that changes the same files']);
});

test('a place that cannot be a folder is told with its path', async () => {
  const file = join(folder(), 'file');
  fs.writeFileSync(file, '');
  await expect(holdingState(join(file, 'state'), () => 1)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(`${file}/state cannot be written`),
  });
});
