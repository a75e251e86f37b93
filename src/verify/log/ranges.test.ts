import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newRanges } from './ranges.js';

it('covers what the single places say, in whatever order they were told', () => {
  const place = fc.nat(40);
  const range = fc.tuple(place, place).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  fc.assert(
    fc.property(fc.array(range), fc.array(range), range, (early, late, [from, to]) => {
      const ranges = newRanges();
      for (const [a, b] of early) ranges.add(a, b);
      ranges.covers(from, to); // asked before everything is told
      for (const [a, b] of late) ranges.add(a, b);
      const isIn = (at: number) => [...early, ...late].some(([a, b]) => a <= at && at <= b);
      const places = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      expect(ranges.covers(from, to)).toBe(places.every(isIn));
    }),
    { numRuns: 2_000 },
  );
});
