import { describe, expect, test } from 'vitest';
import { ArgumentChecks, notToForward } from './direct-call.js';

const schema = {
  type: 'object',
  properties: { n: { type: 'number' }, list: { type: 'array', items: { type: 'string' } }, text: { type: 'string' } },
  required: ['n'],
  additionalProperties: false,
};

const check = (args: unknown, validate: 'repair' | 'strict' | 'off' = 'repair', more: object = schema) =>
  new ArgumentChecks(() => {}).check(args, { schema: more as never, validate });

describe('arguments', () => {
  test('that fit go as they are', async () => {
    const args = { n: 1 };
    const checked = await check(args);
    expect('args' in checked && checked.args).toBe(args);
  });

  test('sent as JSON text are repaired where the text cannot be meant', async () => {
    expect(await check({ n: '1', list: '["a"]', text: '1' })).toEqual({ args: { n: 1, list: ['a'], text: '1' } });
    expect(await check({ n: '1' }, 'strict')).toHaveProperty('problem');
    expect(await check({ n: '1' }, 'off')).toEqual({ args: { n: '1' } });
  });

  test('that do not fit are told with the nearest key', async () => {
    expect(await check({ n: 1, txt: 'x' })).toEqual({
      problem: expect.stringMatching(/additional properties; unknown: "txt" \(did you mean "text"\?\)$/),
    });
    expect(await check({})).toEqual({ problem: expect.stringContaining("must have required property 'n'") });
  });

  test.each([null, [], 'x', 7])('%j is no object', async (args) => {
    expect(await check(args, 'off')).toEqual({ problem: expect.stringContaining('must be an object') });
  });

  test('none are an empty object', async () => {
    expect(await check(undefined, 'off')).toEqual({ args: {} });
  });

  test('an integer that a double does not hold is refused even unvalidated', async () => {
    expect(await check({ n: [{ id: Number.MAX_SAFE_INTEGER + 2 }] }, 'off')).toEqual({
      problem: expect.stringContaining('n.0.id'),
    });
    expect(notToForward({ a: 1.5, b: Number.MAX_SAFE_INTEGER, c: 1e300 })).toMatch(/^c is an integer/);
  });

  test('nested too deeply are refused even unvalidated', async () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(await check({ n: nested(999) }, 'off')).toHaveProperty('args');
    for (const levels of [1_000, 100_000])
      expect(await check({ n: nested(levels) }, 'off')).toEqual({ problem: expect.stringContaining('1000 levels') });
  });

  test('a schema that does not compile turns the check off for its tool, with a word', async () => {
    const words: string[] = [];
    const checks = new ArgumentChecks((text) => void words.push(text));
    const broken = { type: 'object', properties: { a: { type: 'no such type' } } };
    for (let i = 0; i < 2; i++)
      expect(await checks.check({ a: 1 }, { schema: broken, validate: 'repair' })).toEqual({ args: { a: 1 } });
    expect(words).toHaveLength(1);
    expect(await checks.check({}, { schema, validate: 'repair' })).toHaveProperty('problem');
  });

  test('two schemas that call themselves the same are two', async () => {
    const checks = new ArgumentChecks(() => {});
    const one = { $id: 'http://x/s', type: 'object', required: ['a'] };
    const other = { $id: 'http://x/s', type: 'object', required: ['b'] };
    expect(await checks.check({ a: 1 }, { schema: one, validate: 'strict' })).toHaveProperty('args');
    expect(await checks.check({ a: 1 }, { schema: other, validate: 'strict' })).toHaveProperty('problem');
  });

  test('a pattern that would take for ever is not asked', async () => {
    const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const before = performance.now();
    expect(await check({ a: `${'a'.repeat(40)}!` }, 'strict', slow)).toHaveProperty('args');
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
