import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan, type JsonVisitor } from './json-scan.js';

const BOUNDS = { depth: 100, steps: 100_000, reported: 100 };

interface Seen {
  readonly names: string[];
  readonly values: string[];
}

/** Scans a text in pieces that end at `cuts`. A number ends only with the byte after it, so a blank follows. */
const scanned = (text: string, cuts: readonly number[] = [], bounds = BOUNDS): Seen | undefined => {
  const bytes = Buffer.from(`${text} `);
  const seen: Seen = { names: [], values: [] };
  const begun: number[] = [];
  const visitor: JsonVisitor = {
    name: (_depth, from, to) => seen.names.push(JSON.parse(bytes.toString('utf8', from - 1, to + 1))),
    begin: (_depth, from) => begun.push(from),
    end: (_depth, to) => seen.values.push(bytes.toString('utf8', begun.pop(), to)),
  };
  const scan = new JsonScan(visitor, bounds);
  const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  const isTaken = [...ends, bytes.length].every((end) => scan.push(bytes.subarray(0, end)));
  return isTaken && scan.isWhole ? seen : undefined;
};

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The names and the texts of all values, in the order in which they end. */
const walked = (value: unknown, seen: Seen): Seen => {
  for (const [key, inner] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
    if (!Array.isArray(value)) seen.names.push(key);
    walked(inner, seen);
  }
  seen.values.push(JSON.stringify(value));
  return seen;
};

const CUTS = fc.array(fc.nat({ max: 10_000 }), { maxLength: 8 });

describe('a scan of a JSON text', () => {
  it('finds every name and every value, wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), CUTS, (value, cuts) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(scanned(JSON.stringify(parsed), cuts)).toEqual(walked(parsed, { names: [], values: [] }));
      }),
    );
  });

  it('takes exactly what JSON.parse takes, in texts that somebody damaged', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\ \t-+.0123456789eE'.split(''),
      ...[
        'true',
        'null',
        'fals',
        '\\u12',
        '\\ud800',
        '\u0000',
        '\u001f',
        '"a":',
        'é',
        '1e5',
        '-0',
        '01',
        '/**/',
        '\ufeff',
      ],
    );
    const damage = fc.array(fc.tuple(fc.nat({ max: 200 }), fc.nat({ max: 3 }), pieces), { maxLength: 3 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), damage, CUTS, (value, damages, cuts) => {
        let text = JSON.stringify(value);
        for (const [at, less, more] of damages) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + more + text.slice(place + less);
        }
        if (!text.isWellFormed()) return;
        expect([text, scanned(text, cuts) !== undefined]).toEqual([text, parses(text)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ...[
      '',
      ' ',
      '{',
      '[1',
      '"a',
      '1 2',
      '{}{}',
      '[1,]',
      '{"a":1,}',
      '{,}',
      '{"a"}',
      '{"a" 1}',
      "{'a':1}",
      '[1}',
      '{"a":1]',
    ],
    ...['01', '-', '+1', '.5', '1.', '1e', '1e+', '-a', '0x1', 'NaN', 'Infinity', 'nul', 'nulll', 'True'],
    ...[
      '"\\x"',
      '"\\u12g4"',
      '"\\u123"',
      '"\t"',
      '"\u0000"',
      '\ufeff{}',
      '[1 2]',
      '{"a":1 "b":2}',
      '/**/1',
      '[,1]',
      '{1:2}',
    ],
  ])('refuses %j', (text) => {
    expect(parses(text)).toBe(false);
    expect(scanned(text)).toBeUndefined();
  });

  it('refuses a line end inside the text, but not around it', () => {
    expect(scanned('{"a":\n1}')).toBeUndefined();
    expect(scanned('{"a":1\r}')).toBeUndefined();
    expect(scanned('\n{"a":1}\r\n')).toBeDefined();
  });

  it('refuses more depth and more steps than it was given', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(scanned(nested(100))).toBeDefined();
    expect(scanned(nested(101))).toBeUndefined();
    const list = (values: number): string => `[${Array(values).fill(1)}]`;
    expect(scanned(list(50), [], { ...BOUNDS, steps: 51 })).toBeDefined();
    expect(scanned(list(51), [], { ...BOUNDS, steps: 51 })).toBeUndefined();
  });
});
