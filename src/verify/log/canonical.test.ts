import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../proof/canonical-json.js';
import { isCanonical, isFlatCanonical } from './canonical.js';

const check = (text: string): boolean => isCanonical(text, JSON.parse(text));

describe('isFlatCanonical', () => {
  it('takes nothing that is not canonical, and what calls mostly have', () => {
    const scalar = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const value = fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(scalar, fc.constant({}), fc.array(scalar)));
    const spelled = fc.tuple(value, fc.constantFrom(0, 1), fc.boolean());
    fc.assert(
      fc.property(spelled, ([object, indent, isSorted]) => {
        const text = isSorted ? canonicalJson(object as never) : JSON.stringify(object, undefined, indent);
        return !isFlatCanonical(text) || check(text);
      }),
      { numRuns: 5_000 },
    );
    expect(isFlatCanonical('{"limit":20,"project":"colibri","status":null}')).toBe(true);
    for (const text of [
      '{"b":1,"a":1}',
      '{"a":1,"a":1}',
      '{"a":1}x',
      '{"a":1',
      '{}',
      '',
      '[1]',
      '{"":1,"":1}',
      '{"a":01}',
    ]) {
      expect(isFlatCanonical(text), text).toBe(false);
    }
  });
});

describe('isCanonical', () => {
  it('takes what the ledger writes', () => {
    const value = fc.jsonValue({ maxDepth: 5, noUnicodeString: false });
    fc.assert(
      fc.property(value, (it) => check(canonicalJson(it))),
      { numRuns: 2_000 },
    );
  });

  it('agrees with the form itself on any other spelling of a value', () => {
    const spelled = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1));
    fc.assert(
      fc.property(spelled, ([value, indent]) => {
        const text = JSON.stringify(value, undefined, indent);
        return check(text) === (canonicalJson(JSON.parse(text)) === text);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['keys that look like numbers', '{"!":1,"10":2,"9":3}', true],
    ['the order in which the engine keeps them', '{"9":3,"10":2}', false],
    ['unsorted members', '{"b":1,"a":2}', false],
    ['unsorted members further in', '{"a":[{"b":1,"a":2}]}', false],
    ['a doubled member', '{"a":1,"a":1}', false],
    ['a doubled member further in', '{"a":{"b":1,"b":2},"c":3}', false],
    ['a quote and a colon in a string', '{"a":"\\":"}', true],
    ['white space', '{"a": 1}', false],
    ['an escape that is none', '{"a":"\\u0041"}', false],
    ['half of a surrogate pair', '{"a":"\\ud800"}', false],
    ['a control character', '{"a":"\\u0001\\n"}', true],
    ['a fraction', '{"a":0.5}', true],
    ['an exponent', '{"a":1e3}', false],
    ['a zero behind the point', '{"a":1.0}', false],
    ['minus zero', '{"a":-0}', false],
    ['a number that a double does not hold', '{"a":9007199254740993}', false],
    ['beyond ASCII', '{"ä":"€"}', true],
    ['a name that objects have by themselves', '{"__proto__":{"b":1,"a":1}}', false],
  ])('%s', (_, text, answer) => {
    expect(check(text)).toBe(answer);
  });
});
