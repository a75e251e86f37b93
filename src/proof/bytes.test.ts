import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { deepTest, describe as fastDescribe, test as it } from '../../test/support/by-gate.js';
import { fromBase64, toBase64 } from './base64.js';
import { fromHex, fromUtf8, joined, toHex, toUtf8 } from './bytes.js';

const byNode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const RUNS = { numRuns: 5_000 };

describe('UTF-8', () => {
  it('is written as Buffer writes it, halves of surrogate pairs too', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\ud800', '\udc00', '\udc00\ud800'),
        (text, half) => {
          expect(toHex(toUtf8(half + text + half))).toBe(Buffer.from(half + text + half).toString('hex'));
        },
      ),
      RUNS,
    );
  });

  it('is read as a strict TextDecoder reads it', () => {
    // Mostly bytes that begin or continue a character, or random ones would hardly ever get past the second.
    const likely = fc.constantFrom(
      0x41,
      0x80,
      0xbf,
      0xc0,
      0xc2,
      0xdf,
      0xe0,
      0xed,
      0xa0,
      0x9f,
      0xef,
      0xf0,
      0x90,
      0xf4,
      0xf5,
    );
    const bytes = fc.array(fc.oneof(likely, fc.nat(255)), { maxLength: 6 }).map((list) => Uint8Array.from(list));
    fc.assert(
      fc.property(bytes, (list) => {
        expect(fromUtf8(list)).toBe(byNode(list));
      }),
      { numRuns: 50_000 },
    );
  });

  it.each([
    ['a byte order mark stays', [0xef, 0xbb, 0xbf], '\ufeff'],
    ['an overlong slash', [0xc0, 0xaf], undefined],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80], undefined],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], undefined],
    ['cut off', [0xe2, 0x82], undefined],
    ['the last code point', [0xf4, 0x8f, 0xbf, 0xbf], '\u{10ffff}'],
  ])('%s', (_, list, text) => {
    expect(fromUtf8(Uint8Array.from(list))).toBe(text);
  });

  deepTest('takes 10 MB', () => {
    const text = 'ü😀a'.repeat(1_500_000);
    expect(fromUtf8(toUtf8(text)) === text).toBe(true);
  });
});

fastDescribe('base64', () => {
  it('is written as Buffer writes it and read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(toHex(fromBase64(text) ?? Uint8Array.of())).toBe(Buffer.from(bytes).toString('hex'));
      }),
      RUNS,
    );
  });

  it('has one form: whatever Buffer would write otherwise is refused', () => {
    const units = fc.constantFrom('A', 'Q', '/', '+', 'z', '9', '=', '-', '_', ' ', '\n', 'é', '\u0141');
    fc.assert(
      fc.property(fc.string({ unit: units, maxLength: 9 }), (text) => {
        const bytes = Buffer.from(text, 'base64');
        const isOne = bytes.toString('base64') === text;
        expect(fromBase64(text) === undefined).toBe(!isOne);
      }),
      { numRuns: 20_000 },
    );
  });
});

fastDescribe('hex', () => {
  it('goes there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
    );
    expect(fromHex('AbCd')).toEqual(Uint8Array.of(0xab, 0xcd));
  });

  it.each(['a', 'zz', '0x', 'é0', ' 0', '0\n'])('refuses %j', (text) => {
    expect(() => fromHex(text)).toThrow(TypeError);
  });
});

it('joins', () => {
  expect(joined()).toEqual(Uint8Array.of());
  expect(joined(Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
});
