import { expect, it } from 'vitest';
import { RunningCalls } from './running-calls.js';

it('a call is alone if no other runs and nothing waits to be handled', () => {
  let moreWaits = false;
  const calls = new RunningCalls(() => moreWaits);
  expect([calls.size, calls.isAlone]).toEqual([0, true]);
  calls.begin();
  expect([calls.size, calls.isAlone]).toEqual([1, true]);
  moreWaits = true;
  expect(calls.isAlone).toBe(false);
  moreWaits = false;
  calls.begin();
  expect([calls.size, calls.isAlone]).toEqual([2, false]);
  calls.end();
  expect(calls.isAlone).toBe(true);
});

it('whoever waits for the end is told once no call runs, each time', async () => {
  const calls = new RunningCalls(() => false);
  await calls.ended();
  const told: string[] = [];
  for (const round of ['first', 'second']) {
    calls.begin();
    calls.begin();
    const waiting = [calls.ended().then(() => told.push(round)), calls.ended().then(() => told.push(round))];
    calls.end();
    await Promise.resolve();
    expect(told).not.toContain(round);
    calls.end();
    await Promise.all(waiting);
  }
  expect(told).toEqual(['first', 'first', 'second', 'second']);
});
