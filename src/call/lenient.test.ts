// Tests what is read in another way than it came, and that free text never is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { arg, bounded } from './argument.js';
import { lenientReading } from './lenient.js';

const id = bounded(
  z.string().refine((text) => /^T-\d+$/.test(text)),
  { form: 'T-1', takes: ['T-1'], refuses: ['x'] },
);
const level = z.enum(['low', 'high']);

const schema = z.strictObject({
  text: z.string(),
  nullable: z.string().nullable().optional(),
  bytes: z.string().max(9).meta({ maxLength: 9 }).optional(),
  id: arg(id.optional(), 'An id.'),
  ids: z.array(id).max(3).optional(),
  level: level.optional(),
  levels: z
    .unknown()
    .transform((value) => [value].flat())
    .pipe(z.array(level))
    .meta({
      anyOf: [
        { type: 'string', enum: ['low', 'high'] },
        { type: 'array', items: { type: 'string', enum: ['low', 'high'] } },
      ],
    })
    .optional(),
  count: z.int().min(1).default(5),
  ratio: z.number().optional(),
  on: z.boolean().optional(),
  inner: z.record(z.string(), z.unknown()).optional(),
  rows: z.array(z.strictObject({ text: z.string(), level: level.optional(), ids: z.array(id).optional() })).optional(),
  texts: z.array(z.string()).optional(),
});

const read = lenientReading(schema);

describe('read as it was meant', () => {
  it.each([
    [{ id: ' T-1\n' }, { id: 'T-1' }],
    [{ id: 7 }, { id: '7' }],
    [{ ids: '["T-1", " T-2 "]' }, { ids: ['T-1', 'T-2'] }],
    [{ ids: '[]' }, { ids: [] }],
    [{ ids: ' T-1 ' }, { ids: ['T-1'] }],
    [{ ids: 7 }, { ids: ['7'] }],
    [{ ids: [' T-1', 2] }, { ids: ['T-1', '2'] }],
    [{ level: 'High' }, { level: 'high' }],
    [{ level: ' LOW ' }, { level: 'low' }],
    [{ levels: 'HIGH' }, { levels: 'high' }],
    [{ levels: '["High", "low"]' }, { levels: ['high', 'low'] }],
    [{ levels: ['High'] }, { levels: ['high'] }],
    [{ count: '5' }, { count: 5 }],
    [{ count: ' 5 ' }, { count: 5 }],
    [{ ratio: '1.5' }, { ratio: 1.5 }],
    [{ on: 'true' }, { on: true }],
    [{ on: ' False' }, { on: false }],
    [{ inner: '{"a": "1"}' }, { inner: { a: '1' } }],
    [{ rows: '[{"text": " a ", "level": "HIGH"}]' }, { rows: [{ text: ' a ', level: 'high' }] }],
    [{ rows: { text: '[]', ids: 'T-1' } }, { rows: [{ text: '[]', ids: ['T-1'] }] }],
  ])('%j', (sent, meant) => {
    expect(read(sent)).toEqual(meant);
  });
});

describe('left as it came', () => {
  it.each([
    { text: ' 5 ' },
    { text: 5 },
    { text: '["a"]' },
    { nullable: 'null' },
    { nullable: ' x ' },
    { bytes: ' x ' },
    { id: 1.5 },
    { id: null },
    { ids: '' },
    { ids: ' ' },
    { ids: true },
    { ids: { a: 1 } },
    { level: 'hi' },
    { level: 'in progress' },
    { levels: 'middle' },
    { count: '5 minutes' },
    { count: '0x10' },
    { count: '' },
    { count: '12345678901234567890' },
    { on: 'yes' },
    { on: 1 },
    { inner: '[1]' },
    { inner: { a: '1' } },
    { rows: 'text' },
    { unknown: '5' },
    { __proto__: null },
  ])('%j', (sent) => {
    expect(read(sent)).toBe(sent);
  });

  it.each([undefined, null, '{"count": "5"}', 5, ['5']])('arguments that are not an object: %j', (sent) => {
    expect(read(sent)).toBe(sent);
  });

  it('a single text where a list of texts is wanted becomes its only item, byte for byte', () => {
    expect(read({ texts: ' a ' })).toEqual({ texts: [' a '] });
  });
});

it('a schema that has no JSON form reads nothing', () => {
  expect(lenientReading(z.object({ at: z.date() }))({ at: '5' })).toEqual({ at: '5' });
});

it('free text comes through byte for byte, whatever stands beside it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom('5', ' true ', '[]', 'null', 'HIGH', ' T-1 ', '"x"', '\u00a0', ''),
  );
  fc.assert(
    fc.property(text, text, text, (one, two, three) => {
      const sent = { text: one, nullable: two, count: '5', rows: [{ text: three, level: 'HIGH' }] };
      expect(read(sent)).toEqual({ text: one, nullable: two, count: 5, rows: [{ text: three, level: 'high' }] });
    }),
    { numRuns: 200 },
  );
});
