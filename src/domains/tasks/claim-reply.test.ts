import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText } from './claim-reply.js';

const bytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

it('cuts to characters and to bytes of JSON, at a whole character, and says so', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 2, max: 300 }),
      (text, chars, most) => {
        const cut = cutText(text, chars, most);
        expect(cut.length).toBeLessThanOrEqual(Math.max(chars, 0));
        expect(bytes(cut)).toBeLessThanOrEqual(most);
        if (cut === text) return;
        if (cut !== '') expect(cut.endsWith('…')).toBe(true);
        expect(text.startsWith(cut.slice(0, -1))).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      },
    ),
  );
});

it('keeps what fits, and cuts nothing to nothing', () => {
  expect([cutText('whole', 5, 7), cutText('', 0, 2), cutText('too long', 280, 1)]).toEqual(['whole', '', '']);
  expect(cutText('abcdef', 4, 100)).toBe('abc…');
});
