import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { digestedLease, isOpenedBy, isPossibleToken, type Lease, nextToken } from './task.js';

const LEASE: Lease = {
  ...{ task_n: 1, token: 2 ** 32, holder: 'ada', until: '2026-11-15T12:30:00.000Z', minutes: 30, released: 0, rev: 1 },
  ...{ instance: 'i', task_version: 4, previous: null, noted: null, handed: null },
};
const random32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('tokens', () => {
  it('grow, stay exact, and pass for tokens of their lease', () => {
    fc.assert(
      fc.property(fc.array(random32, { minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 9e8 }), (all, n) => {
        let last: number | undefined;
        for (const [i, bits] of all.entries()) {
          const next = nextToken(last, bits);
          expect(Number.isSafeInteger(next)).toBe(true);
          if (last !== undefined) expect(next).toBeGreaterThan(last);
          expect(isPossibleToken({ ...LEASE, task_n: n, token: next, rev: i + 1 })).toBe(true);
          last = next;
        }
      }),
    );
  });

  it('go on after those of older stores', () => {
    const old = 1_000_000 * 7_000_000 + 3;
    const next = nextToken(old, 5);
    expect(next).toBeGreaterThan(old);
    expect(isPossibleToken({ ...LEASE, task_n: 7_000_000, token: old, rev: 3, instance: null })).toBe(true);
    expect(isPossibleToken({ ...LEASE, task_n: 7_000_000, token: next, rev: 4 })).toBe(true);
  });

  it('stay exact after more leases than there are steps', () => {
    const last = Number.MAX_SAFE_INTEGER;
    for (const bits of [0, 2 ** 32 - 1]) expect(nextToken(last, bits)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['of no step', 2 ** 32 - 1, 1, 'i'],
    ['of more steps than revisions', 2 * 2 ** 32, 1, 'i'],
    ['not a whole number', 2 ** 32 + 0.5, 1, 'i'],
    ['in the new form in an old lease', 2 ** 32, 1, null],
    ['above those of an old lease', 1_000_002, 1, null],
  ])('%s were never given', (_, token, rev, instance) => {
    expect(isPossibleToken({ ...LEASE, token, rev, instance })).toBe(false);
  });
});

describe('a lease is opened by its token', () => {
  const during = '2026-11-15T12:29:59.999Z';
  const after = '2026-11-15T12:30:00.000Z';
  it.each([
    ['while it is live, whatever the version', LEASE, 2 ** 32, 9, during, true],
    ['after its end, if the task was not changed', LEASE, 2 ** 32, 4, after, true],
    ['not after its end, if the task was changed', LEASE, 2 ** 32, 5, after, false],
    ['not by another token', LEASE, 2 ** 32 + 1, 4, during, false],
    ['not after it was given back', { ...LEASE, released: 1 }, 2 ** 32, 4, during, false],
    ['not after its end, if it is from before format 6', { ...LEASE, task_version: null }, 2 ** 32, 4, after, false],
    ['not if there is none', undefined, 2 ** 32, 4, during, false],
  ])('%s', (_, lease, token, version, now, opens) => {
    expect(isOpenedBy(lease, token, version, now)).toBe(opens);
  });
});

test('the digest of a lease leaves out what older leases do not have', () => {
  const old = { ...LEASE, instance: null, task_version: null };
  expect(Object.keys(digestedLease(old))).toEqual(['token', 'holder', 'until', 'minutes', 'released']);
  expect(digestedLease(LEASE)).toMatchObject({ instance: 'i', task_version: 4 });
});
