import { describe, expect, test } from 'vitest';
import { EditError } from '../../files/json-edit.js';
import { AGENTS_TEXT, blockIn, withBlock, withoutBlock } from './agents-block.js';

describe.each([
  ['plain', '# Rules\n\nBe kind.\n'],
  ['without a last line end', '# Rules'],
  ['CRLF', '# Rules\r\n\r\nBe kind.\r\n'],
  ['a byte order mark', '\uFEFF# Rules\n'],
])('%s', (_, text) => {
  const made = withBlock(text, AGENTS_TEXT);

  test('keeps what is there and its line ends', () => {
    expect(made.startsWith(text)).toBe(true);
    if (text.includes('\r\n')) expect(made.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('a second time changes nothing', () => {
    expect(withBlock(made, AGENTS_TEXT)).toBe(made);
  });

  test('is replaced in its place, and what was written around it survives', () => {
    const edited = `${made}\nmore\n`.replace('## Colibri', '## Something old');
    expect(withBlock(edited, AGENTS_TEXT)).toBe(`${made}\nmore\n`);
    expect(withoutBlock(edited)).toBe(`${text}${text.endsWith('\n') ? '' : '\n'}\nmore\n`);
  });
});

test.each([undefined, '', '\n', '\uFEFF'])('into %j', (text) => {
  expect(blockIn(withBlock(text, AGENTS_TEXT))).toBe(AGENTS_TEXT);
  expect(withoutBlock(withBlock(text, AGENTS_TEXT)).trim()).toBe('');
});

test.each([
  '<!-- colibri:begin -->',
  'x <!-- colibri:end -->',
  `${AGENTS_TEXT}\n${AGENTS_TEXT}`,
  '<!-- colibri:end --><!-- colibri:begin -->',
])('marks that do not stand once each are left to a person: %j', (text) => {
  expect(() => withBlock(text, AGENTS_TEXT)).toThrow(EditError);
  expect(() => withoutBlock(text)).toThrow(EditError);
});
