// The formula against Wilson's lower bound in floating point (within one basis point), at the edges of weights, and for huge sums.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DaySums, rootOf, scoreOf, WEIGHTLESS_DAYS } from './score.js';

const TODAY = 20_000;
const daysAgo = (age: number, successes: number, failures: number): DaySums => ({
  day: TODAY - age,
  successes,
  failures,
});
const score = (...days: DaySums[]): number => scoreOf(days, TODAY);

const wilson = (s: number, f: number): number => {
  const [z, n] = [1.96, s + f];
  const p = s / n;
  return (
    (10_000 * (p + z ** 2 / (2 * n) - z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2)))) / (1 + z ** 2 / n)
  );
};

it('is Wilson’s lower bound within one basis point, whatever the ages', () => {
  const count = fc.oneof(fc.nat(3), fc.nat(1_000), fc.nat(10_000_000));
  const day = fc.record({ age: fc.nat(209), s: count, f: count });
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 12 }), (days) => {
      const sum = (of: 's' | 'f') => days.reduce((all, one) => all + one[of] / 2 ** Math.floor(one.age / 30), 0);
      const [s, f] = [sum('s'), sum('f')];
      const got = score(...days.map((one) => daysAgo(one.age, one.s, one.f)));
      expect(Number.isInteger(got)).toBe(true);
      if (s + f === 0) expect(got).toBe(0);
      else expect(Math.abs(got - Math.max(0, wilson(s, f)))).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  [0, 0, 0],
  [1, 0, 2_065],
  [10, 0, 7_224],
  [9, 1, 5_958],
  [0, 1, 0],
  [0, 1_000_000, 0],
  [1_000_000, 0, 9_999],
  [Number.MAX_SAFE_INTEGER, 0, 9_999],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 4_999],
])('%d successes and %d failures of today: %d', (s, f, expected) => {
  expect(score(daysAgo(0, s, f))).toBe(expected);
});

it('halves a weight after 30 days, to nothing after 630; a day after today weighs as today', () => {
  expect(score(daysAgo(29, 4, 2))).toBe(score(daysAgo(0, 4, 2)));
  expect(score(daysAgo(-5, 4, 2))).toBe(score(daysAgo(0, 4, 2)));
  expect(score(daysAgo(30, 4, 2))).toBe(score(daysAgo(0, 2, 1)));
  expect(score(daysAgo(59, 4, 2), daysAgo(60, 8, 4))).toBe(score(daysAgo(0, 4, 2)));
  expect(WEIGHTLESS_DAYS).toBe(630);
  expect(score(daysAgo(629, 2 ** 20, 0))).toBe(score(daysAgo(0, 1, 0)));
  expect(score(daysAgo(630, 2 ** 40, 2 ** 40))).toBe(0);
});

it('takes whole square roots', () => {
  for (const root of [0, 1, 2, 3, 99, 100, 101, 94_906_264])
    for (const [near, expected] of [
      [root ** 2, root],
      [root ** 2 + 2 * root, root],
      [(root + 1) ** 2, root + 1],
    ] as const)
      expect(rootOf(near), String(near)).toBe(expected);
});
