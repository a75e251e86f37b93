import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTextError, plainValue, positionAt, readJson } from './json-text.js';

const faultOf = (text: string): string => {
  try {
    readJson(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonTextError)) throw thrown;
    const { line, column } = positionAt(text, thrown.at);
    return `${line}:${column} ${thrown.message}`;
  }
  throw new Error('was read');
};

it('reads whatever JSON.parse reads, and the same', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      const pretty = JSON.stringify(JSON.parse(text), undefined, space);
      expect(plainValue(readJson(pretty))).toEqual(JSON.parse(pretty));
    }),
  );
});

it('agrees with JSON.parse about what is JSON, but for comments and commas', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', ':', '"a"', '"', '1', '-', '.5', 'true', 'nul', ' ', '\\', '\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      const read = (parse: () => unknown): unknown => {
        try {
          return { value: parse() };
        } catch {
          return 'refused';
        }
      };
      expect(read(() => plainValue(readJson(text)))).toEqual(read(() => JSON.parse(text)));
    }),
    { numRuns: 3_000 },
  );
});

it('takes comments, trailing commas and a byte order mark', () => {
  const text = '\uFEFF// head\n{ /* a **/ "a": [1, 2,], // end\n "b": "http://x/*no*/", }\n/* tail */';
  expect(plainValue(readJson(text))).toEqual({ a: [1, 2], b: 'http://x/*no*/' });
});

it('knows where everything stands', () => {
  const text = '{\n  "a": {\n    "b": 7\n  }\n}';
  const root = readJson(text);
  if (root.kind !== 'object') throw new Error('no object');
  const a = root.members.get('a')?.node;
  const b = a?.kind === 'object' ? a.members.get('b') : undefined;
  expect(positionAt(text, b?.at ?? 0)).toEqual({ line: 3, column: 5 });
  expect(positionAt(text, b?.node.at ?? 0)).toEqual({ line: 3, column: 10 });
});

it('keeps the last of a repeated key and says so', () => {
  const root = readJson('{"a": 1, "a": 2}');
  expect(plainValue(root)).toEqual({ a: 2 });
  expect(root.kind === 'object' && root.repeated.map(({ at }) => at)).toEqual([9]);
});

it('a key __proto__ is a key', () => {
  const value = plainValue(readJson('{"__proto__": {"x": 1}}')) as object;
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

describe('says where and why not', () => {
  it.each([
    ['', '1:1 the text ends where a value should be'],
    ['{"a": 1', '1:8 the text ends where "," or "}" should be'],
    ['{"a" 1}', '1:6 "1" is where ":" should be'],
    ["{\n  'a': 1\n}", '2:3 "\'" is not a JSON value; strings and keys need double quotes'],
    ['{"a": yes}', '1:7 "yes" is not a JSON value; strings and keys need double quotes'],
    ['{"a": "x\n"}', '1:7 a string has no closing quote on its line'],
    ['{"a": "\\q"}', '1:7 a string contains an escape or a control character that JSON does not allow'],
    ['["\\ud800"]', '1:2 a string contains half of a surrogate pair'],
    ['{"a": 1} x', '1:10 "x" is not a JSON value; strings and keys need double quotes'],
    ['{"a": 1} {}', '1:10 "{" is where the end of the text should be'],
    ['\uFEFF{"a" 1}', '1:7 "1" is where ":" should be'],
    ['{"a": 1 "b": 2}', '1:9 "\\"" is where "," should be'],
    ['{1: 2}', '1:2 "1" is where a key in quotes should be'],
    ['[1.]', '1:2 a number is not complete'],
    ['{"a": /* b', '1:7 a comment has no end'],
    ['[1e999]', '1:2 a number is too large'],
    ['{,}', '1:2 "," is where a value should be'],
    ['['.repeat(100), '1:66 nested too deeply'],
  ])('%j', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('what stands behind a wrong quote is not shown', () => {
    expect(faultOf(`{"a": 'sk-secret'}`)).not.toContain('secret');
  });

  it.each(['[', '{"a":', '[},', '{"a": ],', '[[],', '{"a": {}, "b":'])('20,000 times %j', (piece) => {
    expect(() => readJson(piece.repeat(20_000))).toThrow(JsonTextError);
  });

  it('a hundred thousand brackets or stars cost nothing', () => {
    const begun = performance.now();
    expect(faultOf('['.repeat(100_000))).toContain('nested too deeply');
    expect(faultOf(`{ /*${'*'.repeat(100_000)}`)).toContain('no end');
    expect(faultOf(`"${'\\\\'.repeat(100_000)}`)).toContain('closing quote');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
