import { expect, it } from 'vitest';
import { isDeeperThan } from '../proof/json-object.js';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

it('tells how deep a value is nested, however deep that is', () => {
  expect(isDeeperThan('x', 0)).toBe(false);
  expect(isDeeperThan({}, 0)).toBe(true);
  expect(isDeeperThan(nested(1_000), 1_000)).toBe(false);
  expect(isDeeperThan(nested(1_001), 1_000)).toBe(true);
  expect(isDeeperThan({ a: [1, { b: nested(1_000_000) }] }, 1_000)).toBe(true);
});
