import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Patience } from './patience.js';

const patience = (ms: number) => new Patience(ms, () => performance.now());

it('hands on what comes in time, and what fails', async () => {
  const waits = patience(1_000);
  expect(await waits.wait(Promise.resolve(1))).toBe(1);
  await expect(waits.wait(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('gives up on each after its own time', async () => {
  const waits = patience(60);
  const began = performance.now();
  const never = new Promise<number>(() => {});
  const first = waits.wait(never).then(() => performance.now() - began);
  await sleep(30);
  const second = waits.wait(never).then(() => performance.now() - began);
  const third = waits.wait(sleep(20, 'in time'));
  expect(await third).toBe('in time');
  const [a, b] = [await first, await second];
  expect(a).toBeGreaterThanOrEqual(59);
  expect(b).toBeGreaterThanOrEqual(a + 20);
});

it('a failure after it gave up bothers nobody', async () => {
  let fail = (_: Error) => {};
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  expect(await patience(5).wait(late)).toBeUndefined();
  fail(new Error('too late'));
  await sleep(5);
});
