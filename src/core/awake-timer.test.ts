import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { awakeTimer } from './clock.js';
import { CORE_LIMITS } from './limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rig = () => {
  let now = 0;
  const fired = vi.fn();
  const timer = awakeTimer(100, fired, { nowMs: () => now });
  return { fired, timer, at: (ms: number) => (now = ms) };
};

it('fires in time while nothing is late', () => {
  const { fired, at } = rig();
  at(101);
  vi.advanceTimersByTime(100);
  expect(fired).toHaveBeenCalledOnce();
});

it('leaves a while to what has come where the process slept, and can be cancelled in it', () => {
  const { fired, at } = rig();
  at(60_000);
  vi.advanceTimersByTime(100);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(CORE_LIMITS.awakeMs);
  expect(fired).toHaveBeenCalledOnce();
  const other = rig();
  other.at(60_000);
  vi.advanceTimersByTime(100);
  other.timer.cancel();
  vi.advanceTimersByTime(CORE_LIMITS.awakeMs);
  expect(other.fired).not.toHaveBeenCalled();
});
