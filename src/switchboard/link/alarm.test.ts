import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Alarm } from './alarm.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const rig = () => {
  const deadlines = new Set<number>();
  const rung: [now: number, due: number[]][] = [];
  const alarm = new Alarm(Date.now, (now) => {
    const due = [...deadlines].filter((deadline) => deadline <= now);
    rung.push([now, due]);
    for (const deadline of due) deadlines.delete(deadline);
    for (const deadline of deadlines) alarm.watch(deadline);
  });
  const watch = (deadline: number): void => {
    deadlines.add(deadline);
    alarm.watch(deadline);
  };
  return { alarm, watch, rung, deadlines };
};

it('rings for every deadline in its turn, with one timer', () => {
  const { watch, rung } = rig();
  for (const deadline of [300, 100, 200, 150.5]) watch(deadline);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(rung).toEqual([
    [100, [100]],
    [151, [150.5]],
    [200, [200]],
    [300, [300]],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

it('rings in vain for a deadline that was moved, and then for the new one', () => {
  const { watch, rung, deadlines } = rig();
  watch(100);
  deadlines.delete(100);
  watch(250);
  vi.advanceTimersByTime(1_000);
  expect(rung).toEqual([
    [100, []],
    [250, [250]],
  ]);
});

it('rings no more when it was stopped', () => {
  const { alarm, watch, rung } = rig();
  watch(100);
  alarm.stop();
  vi.advanceTimersByTime(1_000);
  watch(1_200);
  vi.advanceTimersByTime(1_000);
  expect(rung.map(([now]) => now)).toEqual([1_200]);
});
