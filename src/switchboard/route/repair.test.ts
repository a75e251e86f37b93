import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairArguments } from './repair.js';

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'integer' } },
      text: { type: 'string' },
      free: {},
      either: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      orText: { oneOf: [{ type: 'number' }, { type: 'string' }] },
      ref: { $ref: '#/$defs/point' },
      nested: { type: 'object', properties: { on: { type: 'boolean' } } },
      level: { enum: [1, 2] },
      all: { allOf: [{ description: 'x' }, { type: 'object' }] },
    },
    additionalProperties: { type: 'number' },
    $defs: { point: { type: 'object', properties: { x: { type: 'number' } } } },
  };

  it('are read where the schema wants something else', () => {
    const sent = {
      list: '["1", 2]',
      text: '[1]',
      free: '[1]',
      either: '3',
      orText: '3',
      ref: '{"x": "4"}',
      nested: { on: 'false' },
      level: '2',
      all: '{}',
      other: '5',
    };
    const read = { list: [1, 2], either: 3, ref: { x: 4 }, nested: { on: false }, level: 2, all: {}, other: 5 };
    expect(repairArguments(schema, sent)).toEqual({ ...sent, ...read });
  });

  it('the arguments as a whole may be a text', () => {
    expect(repairArguments(schema, '{"list": []}')).toEqual({ list: [] });
  });

  it('the same object comes back when there is nothing to repair', () => {
    const sent = { list: [1], text: 'x', nested: { on: true } };
    expect(repairArguments(schema, sent)).toBe(sent);
  });

  it('a key like __proto__ stays a key', () => {
    const value = repairArguments(schema, JSON.parse('{"__proto__": "1", "list": "[]"}'));
    expect(Object.keys(value as object)).toEqual(['__proto__', 'list']);
  });

  it('schemas that refer to each other come to an end', () => {
    const branches = Array.from({ length: 50 }, () => ({ $ref: '#/$defs/a' }));
    const knot = {
      properties: { x: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: branches }, b: { $ref: '#/$defs/b' } },
    };
    const sent = { x: '1' };
    expect(repairArguments(knot, sent)).toBe(sent);
    expect(repairArguments({ properties: { x: { $ref: '#/$defs/b' } }, $defs: knot.$defs }, sent)).toBe(sent);
  });

  it('JSON text of a value is read back as the value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean()),
        (value) => {
          const type = Array.isArray(value) ? 'array' : typeof value;
          const text = JSON.stringify(value);
          const read = repairArguments({ properties: { x: { type } } }, { x: text });
          if (text.isWellFormed() && !/\\u(0000|d[89a-f])/i.test(text)) expect(read).toEqual({ x: JSON.parse(text) });
        },
      ),
    );
  });
});
