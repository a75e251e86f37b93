// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSchema, TOO_COSTLY } from './schema-judge.js';

type Schema = Record<string, unknown>;

const doubling = (keyword: string, levels: number, wrap: (inner: Schema) => unknown): Schema => ({
  type: 'object',
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const next = at === levels - 1 ? {} : { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { [keyword]: wrap(next) }];
    }),
  ),
});

const many = (count: number, one: (at: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, at) => one(at));
const twice = (inner: Schema): unknown => [inner, inner];
const chain = (levels: number): unknown => many(levels, () => 0).reduce((inner) => ({ a: inner }), {});

describe('what would take too long is left unasked', () => {
  const cases: [string, Schema, unknown][] = [
    ['allOf, 30 times', doubling('allOf', 30, twice), {}],
    [
      'anyOf, 30 times',
      doubling('anyOf', 30, (inner) => [{ allOf: [inner, { type: 'string' }] }, { allOf: [inner, false] }]),
      {},
    ],
    ['oneOf, 40 times', doubling('oneOf', 40, twice), {}],
    ['not, 40 times', doubling('not', 40, (inner) => ({ allOf: [inner, { not: inner }] })), {}],
    ['if, 40 times', doubling('allOf', 40, (inner) => [{ if: inner, then: inner, else: inner }]), {}],
    [
      'dependentSchemas, 40 times',
      doubling('dependentSchemas', 40, (inner) => ({ a: inner, b: inner })),
      { a: 1, b: 1 },
    ],
    ['a reference to itself', { $ref: '#' }, {}],
    [
      'references in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      {},
    ],
    ['two for every level of the value', { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } }, chain(60)],
    [
      'contains in contains',
      doubling('contains', 8, (inner) => ({ contains: inner })),
      many(30, () => many(30, () => many(30, () => many(30, () => [])))),
    ],
    ['uniqueItems of many objects', { uniqueItems: true }, many(5_000, (at) => ({ at }))],
    [
      'an enum of large objects',
      { items: { enum: many(100, (at) => ({ list: many(50, () => 1), at })) } },
      many(500, () => ({ list: many(50, () => 1), at: -1 })),
    ],
    ['a constant that is large', { items: { const: many(500, () => 1) } }, many(500, () => many(500, () => 1))],
    ['many bounds on a long text', { allOf: many(5_000, () => ({ maxLength: 9e9 })) }, 'x'.repeat(1_000_000)],
    [
      'many looks at many names',
      { allOf: many(3_000, () => ({ dependentSchemas: { nobody: {} } })) },
      Object.fromEntries(many(3_000, (at) => [`k${at}`, 1]) as [string, number][]),
    ],
    [
      'propertyNames, doubled',
      doubling('propertyNames', 2, () => ({ allOf: many(1_000, () => ({ minLength: 0 })) })),
      Object.fromEntries(many(3_000, (at) => [`k${at}`, 1]) as [string, number][]),
    ],
  ];

  it.each(cases)('%s', (_name, schema, value) => {
    const begun = performance.now();
    const { fit, doubt } = judgeSchema(schema, value);
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect({ fit, doubt }).toEqual({ fit: 'unknown', doubt: TOO_COSTLY });
  });
});

it('large schemas and values that are harmless are asked', () => {
  const properties = Object.fromEntries(many(2_000, (at) => [`p${at}`, { type: 'string' }]) as [string, unknown][]);
  const oneOf = many(2_000, (at) => ({ required: [`p${at}`] }));
  expect(judgeSchema({ type: 'object', properties, oneOf, additionalProperties: false }, { p7: 'x' }).fit).toBe('yes');
  const tags = { type: 'array', uniqueItems: true, items: { type: 'string', maxLength: 20 } };
  expect(judgeSchema(tags, many(5_000, String)).fit).toBe('yes');
  expect(judgeSchema(tags, [...many(5_000, String), '7']).fit).toBe('no');
});

it.each([
  [{ type: 'no such type' }, 'an unknown type'],
  [{ required: 'a' }, 'a required that is not a list'],
  [{ allOf: {} }, 'an allOf that is not a list'],
  [{ properties: { a: 7 } }, 'a schema that is not an object'],
  [{ minProperties: '1' }, 'a bound that is not a number'],
])('a rule that is none says nothing: %j', (schema, words) => {
  expect(judgeSchema(schema, { a: 1 })).toMatchObject({ fit: 'unknown', doubt: `it has ${words}` });
});

it.each([
  [{ pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`],
  [{ properties: { a: { pattern: 'x' } } }, { a: 'y' }],
  [{ not: { pattern: 'x' } }, 'x'],
  [{ if: { pattern: 'x' }, then: { minLength: 3 }, else: false }, 'x'],
  [{ oneOf: [{ pattern: 'a' }, { pattern: 'b' }] }, 'ab'],
  [{ contains: { pattern: 'a' }, maxContains: 1 }, ['a', 'a']],
  [{ patternProperties: { '^x': {} }, additionalProperties: false }, { x: 1 }],
  [{ allOf: [{ patternProperties: { x: {} } }], unevaluatedProperties: false }, { x: 1 }],
  [{ $ref: 'http://elsewhere.test/schema' }, 1],
  [{ $ref: '#anchor' }, 1],
  [{ $dynamicRef: '#anchor' }, 1],
  [{ properties: { a: { $id: 'http://x/y', $ref: '#/$defs/a' } }, $defs: { a: false } }, { a: 1 }],
  [{ format: 'date-time' }, 'soon'],
])('%j does not refuse %j', (schema, value) => {
  expect(judgeSchema(schema, value).fit).toBe('unknown');
});

it('says what is wrong and where, and no more often than a caller is told', () => {
  const schema = {
    properties: { list: { items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    required: ['n'],
  };
  expect(judgeSchema(schema, { list: ['a', 1] }).problems).toEqual([
    'arguments/list/1 must be string',
    'arguments/list/1 must be null',
    'arguments/list/1 must match a schema in anyOf',
    "arguments must have required property 'n'",
  ]);
  const many_ = judgeSchema(
    { items: { type: 'string' } },
    many(1_000, () => 1),
  );
  expect(many_.problems).toHaveLength(20);
});

it('unevaluated properties are those that no rule can have looked at', () => {
  const schema = {
    $defs: { d: { properties: { b: true } } },
    properties: { a: true },
    allOf: [{ $ref: '#/$defs/d' }, { $ref: '#' }],
    anyOf: [{ properties: { c: true } }, {}],
    unevaluatedProperties: false,
  };
  const { $defs, allOf, ...alone } = schema;
  const once = { ...alone, $defs, allOf: [{ $ref: '#/$defs/d' }] };
  expect(judgeSchema(once, { a: 1 }).fit).toBe('yes');
  expect(judgeSchema(once, { a: 1, b: 1, c: 1 }).fit).toBe('unknown');
  expect(judgeSchema(once, { a: 1, x: 1 }).problems).toEqual(['arguments must NOT have unevaluated properties']);
  expect(judgeSchema({ ...once, patternProperties: { x: {} } }, { x: 1 }).fit).toBe('unknown');
  expect(judgeSchema({ ...once, unevaluatedProperties: { type: 'string' } }, { x: 1 }).fit).toBe('no');
  expect(judgeSchema(schema, { x: 1 }).fit).toBe('unknown');
});

it('a name for a schema is followed where there is one of it', () => {
  const named = (more: Schema): Schema => ({ properties: { a: { $ref: '#n' } }, ...more });
  const n = { $anchor: 'n', type: 'string' };
  expect(judgeSchema(named({ $defs: { n } }), { a: 1 }).fit).toBe('no');
  expect(judgeSchema(named({ $defs: { n } }), { a: 'x' }).fit).toBe('yes');
  expect(judgeSchema(named({ $defs: { n, m: { $anchor: 'n' } } }), { a: 1 }).fit).toBe('unknown');
  expect(judgeSchema(named({ default: n }), { a: 1 }).fit).toBe('unknown');
  expect(judgeSchema(named({ $defs: { n } }), { a: 1 }).problems).toEqual(['arguments/a must be string']);
});

describe('beside another validator', () => {
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
    const inner = tie('schema');
    const rules = {
      type: fc.constantFrom('string', 'object', 'array', 'number', 'integer', ['string', 'null']),
      enum: fc.constantFrom(['a', 1], [{ a: 'a' }], [['a']]),
      const: fc.constantFrom('a', { a: 1 }),
      minimum: fc.constant(1),
      exclusiveMaximum: fc.constant(2),
      minLength: fc.constantFrom(1, 2),
      maxLength: fc.constantFrom(0, 1),
      maxItems: fc.constant(1),
      minProperties: fc.constant(1),
      uniqueItems: fc.constant(true),
      required: fc.constantFrom(['a'], ['b']),
      dependentRequired: fc.constant({ a: ['b'] }),
      dependentSchemas: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      pattern: fc.constantFrom('^a', 'b$'),
      patternProperties: fc.dictionary(fc.constantFrom('^a', '^b'), inner, { maxKeys: 2 }),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), inner),
      propertyNames: inner,
      unevaluatedProperties: fc.constant(false),
      not: inner,
      if: inner,
      then: inner,
      else: inner,
      oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      contains: inner,
      maxContains: fc.constant(1),
      items: inner,
      $ref: fc.constant('#/$defs/d'),
    };
    const some = fc.record(rules, { requiredKeys: [] }).chain((found) => {
      const keys = Object.keys(found);
      return fc
        .subarray(keys, { maxLength: 3 })
        .map((kept) => Object.fromEntries(kept.map((key) => [key, found[key as 'not']])));
    });
    return {
      schema: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        fc.constantFrom({}, { pattern: '^a' }, { type: 'string' }),
        some,
      ),
    };
  });
  const value = fc.oneof(
    fc.constantFrom('a', 'ab', 'b', '', 1, 1.5, null),
    fc.dictionary(fc.constantFrom('a', 'ab', 'b', 'c'), fc.constantFrom<unknown>('a', 'b', 1, ['a']), {
      maxKeys: 3,
      noNullPrototype: true, // JSON has none, and to the other validator they equal nothing
    }),
    fc.array(fc.constantFrom<unknown>('a', 'b', 1, ['a']), { maxLength: 3 }),
  );

  it('what it accepts is never refused, and what is sure is the same', () => {
    let sure = 0;
    fc.assert(
      fc.property(
        schema,
        fc.constantFrom({}, { type: 'string' }, { pattern: '^a' }),
        fc.array(value, { minLength: 4, maxLength: 8 }),
        (root, d, values) => {
          const whole = { ...root, $defs: { d } };
          const other = new AjvJsonSchemaValidator().getValidator(whole as never);
          for (const one of values) {
            const { fit } = judgeSchema(whole, one);
            if (fit !== 'unknown') expect({ one, fit }).toEqual({ one, fit: other(one).valid ? 'yes' : 'no' });
            if (fit !== 'unknown') sure++;
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(sure).toBeGreaterThan(500);
  });
});
