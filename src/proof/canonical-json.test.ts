import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isDeeperThan, jsonFault } from './canonical-json.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('canonicalJson', () => {
  it('sorts keys by UTF-16 code units, RFC 8785 §3.2.3', () => {
    // The smiley's first unit is U+D83D, below U+FB33: by code points it would come last.
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    );
  });

  it('writes numbers as RFC 8785 §3.2.2.3 does', () => {
    expect(canonicalJson([1e30, 4.5, 2e-3, 1e-27, -0, 333333333.3333333])).toBe(
      '[1e+30,4.5,0.002,1e-27,0,333333333.3333333]',
    );
  });

  it('is a fixed point and keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (jsonFault(value, 64) !== undefined) return;
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('writes what an independent implementation writes', () => {
    const values = fc.jsonValue({ stringUnit: 'binary', depthSize: 'medium' });
    fc.assert(
      fc.property(values, (value) => {
        let theirs: string | undefined;
        try {
          theirs = canonicalize(value);
        } catch {
          expect(() => canonicalJson(value)).toThrow();
          return;
        }
        expect(canonicalJson(value)).toBe(theirs);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([31, 32, 33, 34, 100, 1_000])('sorts %i members like it', (count) => {
    const keys = Array.from({ length: count }, (_, i) => `k${(i * 7919) % count} ${i % 3 === 0 ? 'ü' : ''}`);
    const value = Object.fromEntries(keys.map((key, i) => [key, i]));
    expect(canonicalJson(value)).toBe(canonicalize(value));
    expect(Object.keys(value)).not.toEqual(Object.keys(value).toSorted());
  });

  it('leaves out members without a value', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it.each([undefined, Number.NaN, '\ud800', { a: Number.POSITIVE_INFINITY }])('refuses %j', (value) => {
    expect(() => canonicalJson(value)).toThrow();
  });
});

describe('jsonFault', () => {
  it.each([
    ['a lone surrogate', ['\ud800'], 'surrogate'],
    ['a lone surrogate in a key', { '\udc00': 1 }, 'surrogate'],
    ['U+0000', { a: 'x\u0000' }, 'U+0000'],
    ['1e400', JSON.parse('[1e400]'), 'double'],
    ['65 levels', nested(65), 'deeper'],
    ['20,000 levels', nested(20_000), 'deeper'],
  ])('finds %s', (_, value, words) => {
    expect(jsonFault(value, 64)).toContain(words);
  });

  it.each([nested(64), { a: ['😀', null, true, 1.5] }, 'text', null, {}])('finds nothing in %j', (value) => {
    expect(jsonFault(value, 64)).toBeUndefined();
  });
});

it('tells how deep a value is nested, however deep that is', () => {
  expect(isDeeperThan('x', 0)).toBe(false);
  expect(isDeeperThan({}, 0)).toBe(true);
  expect(isDeeperThan(nested(1_000), 1_000)).toBe(false);
  expect(isDeeperThan(nested(1_001), 1_000)).toBe(true);
  expect(isDeeperThan({ a: [1, { b: nested(1_000_000) }] }, 1_000)).toBe(true);
});
