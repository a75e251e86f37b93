import { expect, it } from 'vitest';
import { plain, plainBut } from './plain.js';

it.each([
  ['\u001b[31mred', '\\u001b[31mred'],
  ['a\r\nb\tc', 'a\\u000d\\u000ab\\u0009c'],
  ['\u0000\u0007\u007f', '\\u0000\\u0007\\u007f'],
  ['\u009b2J', '\\u009b2J'], // CSI in one character
  ['\u0090q\u009c', '\\u0090q\\u009c'],
  ['abc\u202edef\u202c', 'abc\\u202edef\\u202c'],
  ['\u2066x\u2069\u061c\u200e\u200f', '\\u2066x\\u2069\\u061c\\u200e\\u200f'],
  ['ad\u200bmin\u200c\u200d\u2060\ufeff', 'ad\\u200bmin\\u200c\\u200d\\u2060\\ufeff'],
  ['soft\u00adhyphen', 'soft\\u00adhyphen'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  ['tag\u{e0041}', 'tag\\udb40\\udc41'],
  ['filler\u3164\u115f\uffa0', 'filler\\u3164\\u115f\\uffa0'],
  ['hidden\ufe00\u{e0101}', 'hidden\\ufe00\\udb40\\udd01'],
  [`e${'\u0301'.repeat(10)}f`, `e${'\u0301'.repeat(8)}\\u0301\\u0301f`],
  ['annotated\ufff9\ufffb', 'annotated\\ufff9\\ufffb'],
])('%j is shown with marks', (text, shown) => {
  expect(plain(text)).toBe(shown);
  expect(JSON.parse(`"${plain(text)}"`)).toBe(text); // in JSON the marks mean what they stand for
});

it.each(['plain text', 'Grüße', '日本語', 'مرحبا', 'é', '🦜', '❤️', '☎︎', '→ …', 'ཧཱུྃ', 'क्षि', 'tiếng Việt', ''])(
  '%s stays',
  (text) => {
    expect(plain(text)).toBe(text);
  },
);

it('keeps what it is told to keep', () => {
  expect(plainBut('a\nb\tc\r', '\n\t')).toBe('a\nb\tc\\u000d');
});
