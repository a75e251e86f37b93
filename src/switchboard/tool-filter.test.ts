import { expect, it } from 'vitest';
import { isOffered, matches } from './tool-filter.js';

it.each([
  ['*', 'anything', true],
  ['*', '', true],
  ['read', 'read', true],
  ['read', 'reader', false],
  ['read_*', 'read_file', true],
  ['*_file', 'read_file', true],
  ['*_file', 'file', false],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['**', 'x', true],
  ['a.c', 'abc', false],
])('%s and %s', (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected);
});

it('many stars cost nothing', () => {
  expect(matches('*a'.repeat(5_000), 'a'.repeat(4_999))).toBe(false);
});

it('deny wins over allow', () => {
  const tools = { allow: ['read_*', 'write'], deny: ['read_secret'] };
  expect(['read_file', 'read_secret', 'write', 'other'].filter((name) => isOffered(tools, name))).toEqual([
    'read_file',
    'write',
  ]);
});
