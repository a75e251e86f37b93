// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validationSchema } from './validation-schema.js';

it('without patterns it is the same object', () => {
  const schema = { type: 'object', properties: { a: { oneOf: [{ type: 'string' }, { not: { type: 'null' } }] } } };
  expect(validationSchema(schema)).toBe(schema);
});

it.each([
  ['pattern', { properties: { a: { type: 'string', pattern: '(a+)+$' } } }, { properties: { a: { type: 'string' } } }],
  [
    'a property called pattern',
    { properties: { pattern: { type: 'string', pattern: 'x' } } },
    { properties: { pattern: { type: 'string' } } },
  ],
  [
    'data that looks like a rule',
    { pattern: 'x', enum: [{ pattern: 'y' }], default: { pattern: 'z' } },
    { enum: [{ pattern: 'y' }], default: { pattern: 'z' } },
  ],
  ['patternProperties', { patternProperties: { '^x': {} }, additionalProperties: false }, {}],
  ['not', { not: { pattern: 'x' }, type: 'string' }, { type: 'string' }],
  ['if', { if: { pattern: 'x' }, then: { minLength: 3 }, else: false }, {}],
  ['oneOf', { oneOf: [{ pattern: 'a' }, { pattern: 'b' }], allOf: [{}] }, { allOf: [{}, { anyOf: [{}, {}] }] }],
  ['anyOf', { anyOf: [{ pattern: 'a' }, { type: 'null' }] }, { anyOf: [{}, { type: 'null' }] }],
  ['contains', { contains: { pattern: 'a' }, maxContains: 1, minContains: 1 }, { contains: {}, minContains: 1 }],
  ['not of a reference', { $defs: { a: { pattern: 'x' } }, not: { $ref: '#/$defs/a' } }, { $defs: { a: {} } }],
  [
    'unevaluatedProperties',
    { allOf: [{ patternProperties: { x: {} } }], unevaluatedProperties: false },
    { allOf: [{}] },
  ],
  [
    'items and lists',
    { items: [{ pattern: 'a' }], prefixItems: [{ pattern: 'b' }] },
    { items: [{}], prefixItems: [{}] },
  ],
])('%s', (_name, schema, expected) => {
  expect(validationSchema(schema)).toEqual(expected);
});

describe('the copy accepts whatever the original accepts', () => {
  const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
    const inner = tie('schema');
    const rules = {
      type: fc.constantFrom('string', 'object', 'array', 'number'),
      pattern: fc.constantFrom('^a', 'b$'),
      patternProperties: fc.dictionary(fc.constantFrom('^a', '^b'), inner, { maxKeys: 2 }),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), inner),
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
    const some = fc.record(rules, { requiredKeys: [] }).chain((all) => {
      const keys = Object.keys(all);
      return fc
        .subarray(keys, { maxLength: 3 })
        .map((kept) => Object.fromEntries(kept.map((key) => [key, all[key as 'not']])));
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
    fc.constantFrom('a', 'ab', 'b', '', 1),
    fc.dictionary(fc.constantFrom('a', 'ab', 'b', 'c'), fc.constantFrom<unknown>('a', 'b', 1, ['a']), { maxKeys: 3 }),
    fc.array(fc.constantFrom('a', 'b', 1), { maxLength: 3 }),
  );

  it('for random schemas and values', () => {
    fc.assert(
      fc.property(
        schema,
        fc.constantFrom({}, { pattern: '^a' }, { patternProperties: { '^a': {} } }),
        fc.array(value, { minLength: 4, maxLength: 8 }),
        (root, d, values) => {
          const original = { ...root, $defs: { d } };
          const compile = (one: object) => new AjvJsonSchemaValidator().getValidator(one as never);
          const before = compile(original);
          const after = compile(validationSchema(original));
          for (const one of values)
            if (before(one).valid) expect({ one, valid: after(one).valid }).toEqual({ one, valid: true });
        },
      ),
      { numRuns: 200 },
    );
  });
});
