import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine } from './csv.js';

/** RFC 4180 read back, one line. */
const parsed = (line: string): string[] => {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = cell.exec(line); found !== null; found = cell.exec(line)) {
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '\r\n' && cell.lastIndex === line.length) return cells;
  }
  throw new Error(`no line: ${JSON.stringify(line)}`);
};

it('is read back as it was, whatever it holds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\t', ' ', 'ü', '{') });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const back = parsed(csvLine(cells));
      expect(back.map((cell) => cell.replace(/^'/, ''))).toEqual(cells);
    }),
    { numRuns: 2_000 },
  );
});

it('no text is a formula, and numbers stay numbers', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\n=1', '\n', '＝1+1', '＠x', '－1', '＋1']) {
    expect(parsed(csvLine([text]))).toEqual([`'${text}`]);
  }
  for (const text of ['a=1', '1-1', 'T-0001', '', '{"a":-1}', "'"]) expect(parsed(csvLine([text]))).toEqual([text]);
  expect(csvLine([-1, 0, true, null, ['T-0001', 'T-0002']])).toBe('-1,0,true,,"[""T-0001"",""T-0002""]"\r\n');
});

it('no cell carries what a terminal obeys, what reorders text or what nobody sees', () => {
  const hostile = [
    '\u001b[2J',
    '\u0007',
    '\r',
    '\u009b31m',
    '\u0000',
    '\u202e',
    '\u200b',
    '\u2066',
    '\ufeff',
    '\u{e0041}',
    '\u2028',
  ];
  for (const text of hostile) {
    const [cell = ''] = parsed(csvLine([`a${text}b`]));
    expect(cell).toMatch(/^a(\\u[0-9a-f]{4})+(\[2J|31m)?b$/);
  }
  expect(parsed(csvLine(['two\r\nlines\tand a tab']))).toEqual(['two\nlines\tand a tab']);
  expect(parsed(csvLine(['\u200b=1+1', '\u001b=1']))).toEqual(['\\u200b=1+1', '\\u001b=1']); // no formula behind a mark
});
