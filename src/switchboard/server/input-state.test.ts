import { expect, it } from 'vitest';
import { InputSeal } from './input-state.js';

const ABOUT = ['server', 'tools/call', { name: 'x', arguments: { a: 1, b: 2 } }];

it('opens what it closed, for the same request only', () => {
  const seal = new InputSeal();
  const sealed = seal.close({ inner: 'state' }, ABOUT);
  expect(seal.open(sealed, ABOUT)).toEqual({ inner: 'state' });
  // The order of members is nobody's business.
  expect(seal.open(sealed, ['server', 'tools/call', { arguments: { b: 2, a: 1 }, name: 'x' }])).toEqual({
    inner: 'state',
  });
  expect(seal.open(sealed, ['server', 'tools/call', { name: 'x', arguments: { a: 2 } }])).toBeUndefined();
  expect(new InputSeal().open(sealed, ABOUT)).toBeUndefined();
});

it('opens nothing that was changed', () => {
  const seal = new InputSeal();
  const sealed = seal.close({ suspended: 'id' }, ABOUT);
  for (let place = 0; place < sealed.length; place++) {
    const other = sealed[place] === 'A' ? 'B' : 'A';
    const changed = sealed.slice(0, place) + other + sealed.slice(place + 1);
    const opened = seal.open(changed, ABOUT);
    // The last character of base64url may hold bits that mean nothing.
    if (opened !== undefined) expect(place).toBe(sealed.length - 1);
  }
  for (const text of ['', '.', 'a.b', sealed.split('.')[0] ?? '']) expect(seal.open(text, ABOUT)).toBeUndefined();
});

it('closes arguments that have no canonical form', () => {
  const seal = new InputSeal();
  const about = ['server', { text: '\ud800' }];
  expect(seal.open(seal.close({ inner: null }, about), about)).toEqual({ inner: null });
});
