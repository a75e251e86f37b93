import { expect, test } from 'vitest';
import { mapTexts } from './texts.js';

const PATHS = ['note', 'steps.note'];

test('texts are found by the name of an argument, and inside lists', () => {
  const args = { note: 'a', other: 'b', steps: [{ status: 'X', note: 'c' }, { status: 'Y' }] };
  const seen: string[] = [];
  const without = mapTexts(args, PATHS, (_, place) => void seen.push(place));
  expect(without).toEqual({ other: 'b', steps: [{ status: 'X' }, { status: 'Y' }] });
  expect(seen).toEqual(['note', 'steps[0].note']);
  expect(mapTexts(args, PATHS, (text) => text)).toEqual(args);
});

test('a list in another form may hold texts anywhere, so it is left out whole', () => {
  for (const steps of ['[{"note":"c"}]', [['c']], ['c', { note: 'd' }], { note: 'c' }, null, 7])
    expect(mapTexts({ steps, x: 1 }, PATHS, () => undefined)).toEqual({ x: 1 });
  const own = JSON.parse('{"__proto__": {"note": "x"}, "note": "y"}');
  expect(JSON.stringify(mapTexts(own, PATHS, () => undefined))).toBe('{"__proto__":{"note":"x"}}');
});
