import { expect, it } from 'vitest';
import { isoClock } from './clock.js';

it('tells the time, also when it steps back', () => {
  const times = [0, 0, 1, 1_700_000_000_123, 5];
  const clock = isoClock(() => times.shift() ?? 0);
  expect([clock(), clock(), clock(), clock(), clock()]).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.001Z',
    '2023-11-14T22:13:20.123Z',
    '1970-01-01T00:00:00.005Z',
  ]);
});
