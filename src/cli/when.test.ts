import { expect, it } from 'vitest';
import { ColibriError } from '../errors.js';
import { bytesText } from './screen/bytes.js';
import { parseWhen } from './when.js';

const NOW = Date.parse('2026-11-15T18:30:00.123Z');

it('an age or a date', () => {
  const moments: Readonly<Record<string, string>> = {
    '12h': '2026-11-15T06:30:00.123Z',
    '30d': '2026-10-16T18:30:00.123Z',
    '2w': '2026-11-01T18:30:00.123Z',
    '0d': '2026-11-15T18:30:00.123Z',
    '2026-08-01': '2026-08-01T00:00:00.000Z',
    '2026-08-01T12:00Z': '2026-08-01T12:00:00.000Z',
    '2026-08-01T12:00:01.5+02:00': '2026-08-01T10:00:01.500Z',
  };
  for (const [text, moment] of Object.entries(moments)) expect(parseWhen(text, '--x', NOW), text).toBe(moment);
  for (const text of ['', '30', 'd', '30y', '2026-02-31', '2026-13-01', '2026-08-01T12:00', 'now', '-3d', '1e3d']) {
    expect(() => parseWhen(text, '--x', NOW), text).toThrow(ColibriError);
  }
});

it('sizes for people', () => {
  expect([0, 999, 1_000, 1_500_000, 2_000_000_000].map(bytesText)).toEqual([
    ...['0 bytes', '999 bytes', '1.0 KB', '1.5 MB', '2.0 GB'],
  ]);
});
