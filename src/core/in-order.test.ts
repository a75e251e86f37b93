import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inOrder } from './in-order.js';

it('runs some at once and takes results in order', async () => {
  let [running, most] = [0, 0];
  const asked: number[] = [];
  function* items() {
    for (let n = 0; n < 9; n++) {
      asked.push(n);
      yield n;
    }
  }
  const taken: number[] = [];
  const start = async (n: number) => {
    most = Math.max(most, ++running);
    await sleep(n % 3 === 0 ? 15 : 1);
    running -= 1;
    return n * 10;
  };
  await inOrder(items(), 3, start, (result, n) => {
    expect(asked.length).toBeLessThanOrEqual(n + 3);
    taken.push(result);
  });
  expect(taken).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80]);
  expect(most).toBe(3);
});

it('throws the error of a job when its turn comes, and none of a later one goes unhandled', async () => {
  const taken: number[] = [];
  const start = async (n: number) => {
    if (n >= 1) throw new Error(`job ${n}`);
    return n;
  };
  await expect(inOrder([0, 1, 2], 3, start, (n) => void taken.push(n))).rejects.toThrow('job 1');
  expect(taken).toEqual([0]);
});
