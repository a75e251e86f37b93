import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeDefinition } from './safe-definition.js';

const safe = (inputSchema: unknown, more: object = {}) => safeDefinition({ name: 't', inputSchema, ...more });
const listed = (inputSchema: unknown, more: object = {}) => {
  const result = safe(inputSchema, more);
  if (!result.listed) throw new Error(result.reason);
  return result;
};
const reason = (inputSchema: unknown, more: object = {}) => {
  const result = safe(inputSchema, more);
  return result.listed ? 'listed' : result.reason;
};

it('a good definition passes untouched', () => {
  const definition = {
    name: 't',
    title: 'T',
    description: 'd',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^x' } },
      required: ['a'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', anyOf: [{ required: ['b'] }] },
    annotations: { readOnlyHint: true, vendor: 1 },
    icons: [{ src: 'https://x/i.png', sizes: ['48x48'] }],
    _meta: { 'x/y': { z: 1 } },
    unknown: [1],
  };
  expect(safeDefinition(definition)).toEqual({ listed: true, definition, notes: [] });
});

describe('the root', () => {
  it('a local $ref is inlined, and what refers to the same place still finds it', () => {
    const node = { type: 'object', properties: { child: { $ref: '#/$defs/Node' } } };
    expect(listed({ $ref: '#/$defs/Node', $defs: { Node: node }, title: 'N' }).definition.inputSchema).toEqual({
      ...node,
      $defs: { Node: node },
      title: 'N',
    });
  });

  it('a chain of references is followed, escapes included', () => {
    const schema = {
      $ref: '#/definitions/a~1b',
      definitions: { 'a/b': { $ref: '#/definitions/c%20d' }, 'c d': { type: 'object' } },
    };
    expect(listed(schema).definition.inputSchema).toMatchObject({ type: 'object' });
    expect(listed(schema).definition.inputSchema).not.toHaveProperty('$ref');
  });

  it('a $ref beside other rules is kept as one of them', () => {
    const schema = { $ref: '#/$defs/A', required: ['x'], $defs: { A: { type: 'object' } } };
    expect(listed(schema).definition.inputSchema).toMatchObject({
      type: 'object',
      required: ['x'],
      allOf: [{ $ref: '#/$defs/A' }],
    });
  });

  it.each([
    { $ref: '#' },
    { $ref: '#/$defs/gone' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { $ref: '#/$defs/a', $defs: { a: 7 } },
  ])('%j: left out with a reason', (schema) => {
    expect(reason(schema)).toBe('its root $ref points to nothing');
  });

  it('a $ref to elsewhere is dropped', () => {
    expect(listed({ $ref: 'https://x/schema.json' }).definition.inputSchema).toEqual({ type: 'object' });
  });

  it.each([
    [undefined, { type: 'object' }],
    [true, { type: 'object' }],
    [{}, { type: 'object' }],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [{ anyOf: [{ required: ['a'] }] }, { type: 'object', anyOf: [{ required: ['a'] }] }],
    [{ type: ['object', 'null'] }, { type: 'object' }],
    [
      { type: 'object', properties: { a: true, b: false, c: 3 } },
      { type: 'object', properties: { a: {}, b: { not: {} }, c: {} } },
    ],
    [{ type: 'object', required: true, properties: [] }, { type: 'object' }],
  ])('%j is mended', (schema, expected) => {
    expect(listed(schema).definition.inputSchema).toEqual(expected);
  });

  it.each([
    [{ type: 'string' }, 'its root is not of type "object"'],
    [{ type: ['string', 'null'] }, 'its root is not of type "object"'],
    ['object', 'its schema is not an object'],
    [[], 'its schema is not an object'],
    [false, 'its schema is not an object'],
    [null, 'its schema is not an object'],
  ])('%j is left out', (schema, expected) => {
    expect(reason(schema)).toBe(expected);
  });
});

describe('the rest of a definition', () => {
  it('members of the wrong type are dropped and noted', () => {
    const result = listed(
      { type: 'object' },
      { description: 7, title: null, icons: [{}], _meta: [], annotations: { readOnlyHint: 'yes', title: 1, x: 2 } },
    );
    expect(result.definition).toEqual({ name: 't', inputSchema: { type: 'object' }, annotations: { x: 2 } });
    expect(result.notes).toHaveLength(4);
  });

  it('an output schema that cannot be mended is dropped, the tool stays', () => {
    const result = listed({ type: 'object' }, { outputSchema: { type: 'array' } });
    expect(result.definition).not.toHaveProperty('outputSchema');
    expect(result.notes).toEqual(['output schema dropped: its root is not of type "object"']);
  });

  it('what runs only as a task is left out; execution is not forwarded', () => {
    expect(reason({ type: 'object' }, { execution: { taskSupport: 'required' } })).toBe('it runs only as a task');
    expect(listed({ type: 'object' }, { execution: { taskSupport: 'optional' } }).definition).not.toHaveProperty(
      'execution',
    );
  });

  it.each([undefined, null, 'x', [], {}, { name: 7 }])('%j has no name', (definition) => {
    expect(safeDefinition(definition)).toEqual({ listed: false, reason: 'it has no name' });
  });
});

describe('bounds', () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });

  it('nested too deeply, too many values', () => {
    expect(reason({ type: 'object', ...deep(30) })).toBe('listed');
    expect(reason({ type: 'object', ...deep(40) })).toContain('nested deeper than 64 levels');
    expect(reason({ type: 'object', enum: Array(20_000).fill(0) })).toContain('more than 20000 values');
    expect(reason({ type: 'object' }, { _meta: deep(40) })).toContain('too big');
  });

  it('20,000 levels cost no stack', () => {
    const text = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
    expect(reason(JSON.parse(text))).toContain('nested deeper');
  });
});

it('whatever a server sends, what is listed is what a client takes', () => {
  const key = fc.constantFrom('type', '$ref', '$defs', 'properties', 'required', 'anyOf', 'a', 'title', 'theme', 'src');
  const leaf = fc.oneof(fc.constantFrom('object', '#', '#/$defs/a', 'string', null, true, false, 1), fc.string());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const member = fc.constantFrom(
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    'annotations',
    'icons',
    '_meta',
    'execution',
  );
  fc.assert(
    fc.property(fc.dictionary(member, value, { maxKeys: 8 }), (members) => {
      const result = safeDefinition({ name: 't', ...members });
      if (result.listed) expect(ToolSchema.safeParse(result.definition).error).toBeUndefined();
    }),
    { numRuns: 3_000 },
  );
});
