// Tests how the frontmatter of a SKILL.md is found and parsed, and what is refused.
import { describe, expect, it } from 'vitest';
import { parseFrontmatter, splitHead } from './frontmatter.js';
import { Unfit } from './skill.js';

const yamlOf = (text: string) => splitHead(text, true).yaml;

describe('splitHead', () => {
  it.each([
    ['plain', '---\na: 1\n---\nbody'],
    ['CRLF', '---\r\na: 1\r\n---\r\nbody'],
    ['a byte order mark', '\ufeff---\na: 1\n---\nbody'],
    ['blanks behind the dashes', '--- \na: 1\n---\t\nbody'],
  ])('finds the frontmatter: %s', (_, text) => {
    expect(yamlOf(text)).toBe('a: 1\n');
  });

  it('says whether there is a body', () => {
    expect(splitHead('---\na: 1\n---', true).hasBody).toBe(false);
    expect(splitHead('---\na: 1\n---\n\n  \n', true).hasBody).toBe(false);
    expect(splitHead('---\na: 1\n---\nx', true).hasBody).toBe(true);
    expect(splitHead('---\na: 1\n---\n', false).hasBody).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\n'],
    ['no frontmatter', '# Title'],
    ['no end', '---\na: 1\n'],
    ['four dashes', '----\na: 1\n----\n'],
  ])('refuses %s', (_, text) => {
    expect(() => splitHead(text, true)).toThrow(Unfit);
  });
});

describe('parseFrontmatter', () => {
  it('reads what skills hold', () => {
    const front = parseFrontmatter(
      'name: a\ndescription: >\n  two\n  lines\nmetadata:\n  version: "1.0"\nlist: [x, y]\n',
    );
    expect(front.value).toEqual({
      name: 'a',
      description: 'two lines\n',
      metadata: { version: '1.0' },
      list: ['x', 'y'],
    });
    expect(front.mended).toEqual([]);
  });

  it('knows a number as it was written', () => {
    expect(parseFrontmatter('version: 1.0').written('version')).toBe('1.0');
    expect(parseFrontmatter('m: {v: 1.10}').written('m', 'v')).toBe('1.10');
    expect(parseFrontmatter('a: 1').written('b')).toBeUndefined();
  });

  it('takes an unquoted colon for text, and says so', () => {
    const front = parseFrontmatter("name: a\ndescription: Use when: it's late\nnote: ends with:\n");
    expect(front.value).toEqual({ name: 'a', description: "Use when: it's late", note: 'ends with:' });
    expect(front.mended).toEqual(['description', 'note']);
  });

  it('leaves colons alone that mean nothing', () => {
    expect(parseFrontmatter('a: http://x/y:z\nb: "x: y"').mended).toEqual([]);
  });

  const hostile: readonly (readonly [string, string])[] = [
    ['a million brackets', `a: ${'['.repeat(60_000)}`],
    ['brackets that close', `a: ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['nested lists on one line', '- '.repeat(30_000)],
    ['nested complex keys', '? '.repeat(30_000)],
    ['deep indentation', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['commas', `a: [${','.repeat(60_000)}]`],
    ['anchors', `a: ${'&a '.repeat(20_000)}`],
    ['aliases', `a: ${'*a '.repeat(20_000)}`],
    ['tags', `a: ${'! '.repeat(20_000)}`],
    ['quotes', `a: ${"'' ".repeat(20_000)}`],
    ['keys', Array.from({ length: 9_000 }, (_, at) => `a${at}: 1`).join('\n')],
    ['flow keys', `a: {${Array.from({ length: 9_000 }, (_, at) => `a${at}`).join(',')}}`],
    ['colons', `a: ${'x: '.repeat(20_000)}`],
    ['comments', '#\n'.repeat(30_000)],
    ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: n'],
    ['an alias', 'a: &a x\nb: *a'],
    ['a merge key', 'a: &a {x: 1}\nb:\n  <<: *a'],
    ['duplicate keys', 'a: 1\na: 2'],
    ['a list', '- a\n- b'],
    ['a text', 'just text'],
    ['nothing', ''],
    ['a key that is a list', '{[a]: 1}'],
    ['control characters', 'a: x\u0007y'],
    ['tabs for indentation', 'a:\n\tb: 1'],
    ['an open quote', 'a: "x'],
  ];

  it.each(hostile)('refuses %s, quickly', (_, yaml) => {
    const began = performance.now();
    expect(() => parseFrontmatter(yaml)).toThrow(Unfit);
    // Seconds without the bounds; a slow machine is not the matter here.
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('takes what is just within the bounds', () => {
    expect(parseFrontmatter(`a: ${'['.repeat(60)}${']'.repeat(60)}`).value).toHaveProperty('a');
    expect(parseFrontmatter(Array.from({ length: 900 }, (_, at) => `a${at}: 1`).join('\n')).value).toHaveProperty(
      'a899',
    );
  });

  it('makes nothing but plain values of tags', () => {
    expect(parseFrontmatter('a: !!binary aGk=\nb: !!js/function "x"').value).toEqual({ a: 'aGk=', b: 'x' });
  });
});
