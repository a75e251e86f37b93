// Bounds of the trail's arguments: characters are code points, contents are counted in bytes.
import { expect, test } from 'vitest';
import { atMostOne, contentField, intentField, sessionField } from './fields.js';

const EMOJI = '🐦';

test.each([
  ['x', true],
  [' ', true],
  ['', false],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  [EMOJI.repeat(128), true],
  [EMOJI.repeat(129), false],
  [`${EMOJI.repeat(127)}x`, true],
  ['x'.repeat(1_000_000), false],
])('a session may be called %j: %s', (name, taken) => {
  expect(sessionField.safeParse(name).success).toBe(taken);
});

test.each([
  ['', false],
  [' \n\t', false],
  ['x', true],
  ['x'.repeat(65_536), true],
  ['x'.repeat(65_537), false],
  [EMOJI.repeat(16_384), true],
  [`${EMOJI.repeat(16_384)}x`, false],
  [`${'x'.repeat(65_535)}é`, false],
])('content %#', (content, taken) => {
  expect(contentField.safeParse(content).success).toBe(taken);
});

test('an intent says something in at most 2,000 characters', () => {
  expect(['i', EMOJI.repeat(2_000)].every((text) => intentField.safeParse(text).success)).toBe(true);
  expect(['', ' ', 'i'.repeat(2_001)].some((text) => intentField.safeParse(text).success)).toBe(false);
});

test('at most one of some keys', () => {
  const check = atMostOne('a', 'b');
  expect([{}, { a: 1 }, { b: 1, c: 1 }, { a: 1, b: undefined }].every(check)).toBe(true);
  expect(check({ a: 1, b: 1 })).toBe(false);
});
