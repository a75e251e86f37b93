import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapArguments, mappingFault, usesOf } from './arguments.js';

describe('a mapping', () => {
  const args = { query: 'cats', count: 0, nothing: null, list: [1], $odd: 'dollar' };

  it.each([
    ['the argument of that name', { q: '$query' }, { q: 'cats' }],
    ['whatever its value is', { a: '$count', b: '$nothing', c: '$list' }, { a: 0, b: null, c: [1] }],
    ['a text that begins with a dollar', { q: '$$query' }, { q: '$query' }],
    ['a lone dollar', { q: '$$' }, { q: '$' }],
    [
      'what is no text stands for itself',
      { n: 3, b: false, l: [1, 2], z: null },
      { n: 3, b: false, l: [1, 2], z: null },
    ],
    ['what was not given is left out', { q: '$query', lang: '$lang' }, { q: 'cats' }],
    ['or has its default', { lang: { from: 'lang', default: 'en' } }, { lang: 'en' }],
    ['a default is taken as it is', { lang: { from: 'lang', default: '$query' } }, { lang: '$query' }],
    ['an argument wins over its default', { n: { from: 'count', default: 7 } }, { n: 0 }],
    ['a reference without a default', { q: { from: 'query' }, l: { from: 'lang' } }, { q: 'cats' }],
    [
      'inside objects and lists',
      { o: { q: '$query', l: '$lang' }, l: ['$query', '$lang', '$$x'] },
      { o: { q: 'cats' }, l: ['cats', '$x'] },
    ],
    ['an object with more keys is no reference', { o: { from: '$query', to: 'x' } }, { o: { from: 'cats', to: 'x' } }],
    ['names as they are written', { q: '$$odd', r: { from: '$odd' } }, { q: '$odd', r: 'dollar' }],
  ])('%s', (_, mapping, expected) => {
    expect(mapArguments(mapping, args)).toEqual(expected);
  });

  it('that is not there passes everything on', () => {
    expect(mapArguments(null, args)).toBe(args);
  });

  it('takes nothing from the prototype, and makes keys of any name', () => {
    const mapping = JSON.parse('{"__proto__": "$query", "a": "$constructor", "b": "$__proto__"}');
    const made = mapArguments(mapping, args);
    expect(Object.keys(made)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });

  it('never invents: every value is literal or was given', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString');
    const template = fc.oneof(
      name.map((one) => `$${one}`),
      fc.string().map((text) => `$$${text}`),
      fc.record({ from: name, default: fc.option(fc.integer(), { nil: undefined }) }, { requiredKeys: ['from'] }),
      fc.integer(),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), template), fc.dictionary(name, fc.jsonValue()), (mapping, given) => {
        const made = mapArguments(mapping, given);
        expect(mapArguments(mapping, given)).toEqual(made);
        for (const { name: used, into, hasDefault } of usesOf(mapping))
          expect(Object.hasOwn(made, into)).toBe(Object.hasOwn(given, used) || hasDefault);
      }),
    );
  });
});

describe('usesOf', () => {
  it('names every argument a mapping uses', () => {
    const mapping = { q: '$query', l: { from: 'lang', default: 1 }, o: { a: ['$x', '$$y'] }, n: 3 };
    expect(usesOf(mapping)).toEqual([
      { name: 'query', into: 'q', whole: true, hasDefault: false },
      { name: 'lang', into: 'l', whole: true, hasDefault: true },
      { name: 'x', into: 'o', whole: false, hasDefault: false },
    ]);
    expect(usesOf(null)).toEqual([]);
  });
});

it.each([
  ['$', '"$" does not name an argument; write "$$" for the text "$"'],
  [['$'], '"$" does not name an argument; write "$$" for the text "$"'],
  [{ from: '' }, '"from" must name an argument'],
  [{ from: 7, default: 1 }, '"from" must name an argument'],
  [{ from: '$query' }, '"from" must name an argument without "$"'],
  ['$query', undefined],
  ['$$', undefined],
  [{ from: 'query' }, undefined],
  [{ from: 7, to: 8 }, undefined],
])('the form of %j', (value, fault) => {
  expect(mappingFault(value)).toBe(fault);
});
