import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SWITCHBOARD_LIMITS } from './limits.js';
import { headersFor, paramHeadersOf } from './param-headers.js';

const annotated = (name: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': name });
const withProperties = (properties: object): object => ({ type: 'object', properties });
const faultIn = (schema: unknown): string | undefined => {
  const found = paramHeadersOf(schema);
  return 'fault' in found ? found.fault : undefined;
};
const headersOf = (schema: unknown, args: unknown): Readonly<Record<string, string>> => {
  const found = paramHeadersOf(schema);
  const made = 'fault' in found ? found : headersFor(found.params, args);
  if ('fault' in made) throw new Error(made.fault);
  return made.headers;
};
/** The header of one string parameter. */
const headerOf = (value: unknown, type = 'string'): string | undefined =>
  headersOf(withProperties({ a: annotated('A', type) }), { a: value })['Mcp-Param-A'];

const decoded = (value: string): string =>
  value.startsWith('=?base64?') && value.endsWith('?=')
    ? Buffer.from(value.slice('=?base64?'.length, -'?='.length), 'base64').toString('utf8')
    : value;

describe('the annotations of a tool', () => {
  it('are found on parameters at any depth, and only there are they the names of headers', () => {
    const schema = withProperties({
      region: annotated('Region'),
      plain: { type: 'string' },
      inner: withProperties({ count: annotated('Count', 'integer'), on: annotated('X-On', 'boolean') }),
      // A parameter may have this name.
      'x-mcp-header': { type: 'string' },
      data: { type: 'object', default: { 'x-mcp-header': 'Data' }, examples: [{ 'x-mcp-header': 'Data' }] },
    });
    expect(paramHeadersOf(schema)).toEqual({
      params: [
        { name: 'Mcp-Param-Region', path: ['region'] },
        { name: 'Mcp-Param-Count', path: ['inner', 'count'] },
        { name: 'Mcp-Param-X-On', path: ['inner', 'on'] },
      ],
    });
  });

  it.each([undefined, null, true, 'x-mcp-header', [], {}, { properties: null }, { properties: [annotated('A')] }])(
    'of %j are none',
    (schema) => expect(paramHeadersOf(schema)).toEqual({ params: [] }),
  );

  it.each([
    ...['', ' ', 'My Region', 'Region:Primary', 'Région', 'Region\t1', 'A\r\nX-Evil: 1', 'A\n', '\u{1F600}', '\ud800'],
    ...['(a)', 'a/b', 'a@b', 'a,b', '"a"', '[a]', '{a}', 'a;b', '\u0000', 'a\u007f', 1, null, true, {}, []],
  ])('are invalid with the name %j', (name) => {
    expect(faultIn(withProperties({ value: annotated(name) }))).toBe(
      'its parameter "value" has an x-mcp-header that is not the name of a header',
    );
  });

  it.each(['object', 'array', 'null', 'number', ['string'], ['string', 'null'], undefined, null, 7])(
    'are invalid on a parameter of type %j',
    (type) => {
      expect(faultIn(withProperties({ a: withProperties({ b: { type, 'x-mcp-header': 'B' } }) }))).toBe(
        'its parameter "a.b" has an x-mcp-header and is not of type string, integer or boolean',
      );
    },
  );

  it.each([
    ['Region', 'Region'],
    ['MyField', 'myfield'],
    ['a', 'A'],
  ])('are invalid if two are alike: %s and %s', (one, other) => {
    const schema = withProperties({ one: annotated(one), deep: withProperties({ other: annotated(other) }) });
    expect(faultIn(schema)).toBe('its parameter "deep.other" has an x-mcp-header that another parameter has, too');
  });

  it.each([
    ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'],
    ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
    ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
    ...['$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'],
  ])('are invalid below %s', (keyword) => {
    const fault = 'it has an x-mcp-header in a place other than a parameter';
    const places = [annotated('A'), withProperties({ a: annotated('A') })];
    const isMap = /^\$defs|definitions|patternProperties|depend/.test(keyword);
    for (const place of places) {
      const inside = { [keyword]: isMap ? { one: place } : place };
      const inList = { [keyword]: [place] };
      expect(faultIn(inside)).toBe(fault);
      expect(faultIn(withProperties({ a: { type: 'array', ...inside } }))).toBe(fault);
      if (!isMap) expect(faultIn(inList)).toBe(fault);
    }
  });

  it('are invalid at the root, and found below boolean schemas', () => {
    expect(faultIn({ ...annotated('A', 'object') })).toMatch(/in a place other than/);
    expect(faultIn({ additionalProperties: false, properties: { a: true, b: annotated('') } })).toMatch(/"b"/);
  });

  it('name a parameter of any length briefly, and with no broken characters', () => {
    const fault = faultIn(withProperties({ [`${'x'.repeat(118)}\u{1F600}`]: annotated('') })) ?? '';
    expect(fault.length).toBeLessThan(200);
    expect(fault.isWellFormed()).toBe(true);
  });

  it('of a schema that is too big are not looked for', () => {
    const nested = (depth: number): object => (depth === 0 ? annotated('A') : withProperties({ a: nested(depth - 1) }));
    expect(paramHeadersOf(nested(5_000))).toEqual({ params: [] });
    expect(paramHeadersOf({ allOf: Array.from({ length: 30_000 }, () => annotated('A')) })).toEqual({ params: [] });
  });
});

describe('the headers of a call', () => {
  // The examples of the specification, and those of RFC 9110 §5.5.
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
    ['a\r\nX-Evil: 1', '=?base64?YQ0KWC1FdmlsOiAx?='],
    ['a\tb', '=?base64?YQli?='],
    ['a\u007f', '=?base64?YX8=?='],
    ['=?base64?open', '=?base64?open'],
    ['=?BASE64?x?=', '=?BASE64?x?='],
  ])('have %j as %s', (value, header) => expect(headerOf(value)).toBe(header));

  it.each([
    [42, '42'],
    [-7, '-7'],
    [0, '0'],
    [-0, '0'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [2.5, '2.5'],
    [true, 'true'],
    [false, 'false'],
  ])('have %s as %s', (value, header) => expect(headerOf(value, 'integer')).toBe(header));

  it.each([[null], [undefined], [{}], [{ toString: 'x' }], [[]], [['a']], [2 ** 53]])('leave %j out', (value) =>
    expect(headerOf(value)).toBeUndefined(),
  );

  it('read the very place of the parameter, and nothing that every object has', () => {
    const schema = withProperties({
      a: withProperties({ length: annotated('Length', 'integer'), constructor: annotated('Maker') }),
      toString: annotated('Text'),
    });
    for (const args of [undefined, null, 'a', [], {}, { a: null }, { a: [1, 2] }, { a: 'text' }, { A: { length: 1 } }])
      expect(headersOf(schema, args)).toEqual({});
    expect(headersOf(schema, { a: { length: 3, constructor: 'c' }, toString: 't' })).toEqual({
      'Mcp-Param-Length': '3',
      'Mcp-Param-Maker': 'c',
      'Mcp-Param-Text': 't',
    });
    expect(headersOf(withProperties(JSON.parse('{"__proto__":{"type":"string","x-mcp-header":"P"}}')), {})).toEqual({});
  });

  it('are refused for a text that has no bytes', () => {
    for (const value of ['\ud800', 'a\udc00b', '\udc00\ud800']) expect(() => headerOf(value)).toThrow(/surrogate/);
  });

  it('are refused if they would be too long together', () => {
    const most = SWITCHBOARD_LIMITS.paramHeaderBytes - 'Mcp-Param-A'.length;
    expect(headerOf('x'.repeat(most))).toHaveLength(most);
    expect(() => headerOf('x'.repeat(most + 1))).toThrow(/"a".*65536 bytes/);
    expect(() => headerOf('é'.repeat(10_000_000))).toThrow(/65536 bytes/);
    const schema = withProperties({ a: annotated('A'), b: annotated('B') });
    expect(() => headersOf(schema, { a: 'x'.repeat(most - 5), b: 'y' })).toThrow(/"b"/);
  });

  it('say of a refused value nothing', () => {
    expect(() => headerOf(`secret-word-${'x'.repeat(70_000)}`)).toThrow(/^((?!secret-word).)*$/s);
  });

  it('are visible ASCII that decodes to the value, whatever it is', () => {
    const any = fc
      .array(fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)))
      .map((characters) => characters.join('').toWellFormed());
    const text = fc.oneof(any, fc.string());
    fc.assert(
      fc.property(text, (value) => {
        const header = headerOf(value) ?? '';
        const isVisible = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(header);
        return isVisible && new Headers({ a: header }).get('a') === header && decoded(header) === value;
      }),
    );
  });
});
