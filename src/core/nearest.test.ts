import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it.each([
  ['server_pin', 'server_ping'],
  ['SERVER_PING', 'server_ping'],
  ['serverhealth', 'server_health'],
  ['completely_else', undefined],
  ['health', 'server_health'],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('nearest(%.20j) is %j', (word, expected) => {
  expect(nearest(word, ['server_ping', 'server_health'])).toBe(expected);
});
