// How things are laid out for a screen: widths, tables, times, numbers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI_LIMITS } from '../../src/cli/limits.js';
import { textLines, wholeField } from '../../src/cli/screen/fields.js';
import { liveScreen } from '../../src/cli/screen/live-screen.js';
import { columnWidths, rowLine, tableLines } from '../../src/cli/screen/table.js';
import { ago, clock, span, stamp, took, until } from '../../src/cli/screen/time.js';
import { cut, fitted, padded, widthOf, wrapped } from '../../src/cli/screen/width.js';
import { footer } from '../../src/cli/switchboard/board.js';
import { verdictLines } from '../../src/cli/verify/verdict-text.js';
import { parseTime } from '../../src/cli/when.js';
import { count, figure, sumUpTo, upTo } from '../../src/core/figures.js';
import { custodyOf } from '../../src/verify/verdict/custody.js';
import { temporaryFolder } from '../support/stores.js';

describe('widths', () => {
  test('wide characters take two columns, marks none', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('蜂蜜')).toBe(4);
    expect(widthOf('ｱｲ')).toBe(2); // halfwidth katakana
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('a\u200bb')).toBe(2);
    expect(widthOf('🐝')).toBe(2);
    expect(widthOf('❤\ufe0f')).toBe(2);
    expect(widthOf('')).toBe(0);
  });

  test('what does not fit is cut and says so; nothing is split', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdef', 5)).toBe('abcd…');
    expect(cut('蜂蜜蜂蜜', 6)).toBe('蜂蜜…');
    expect(cut('蜂蜜', 3)).toBe('蜂…');
    expect(cut('🐝🐝', 2)).toBe('…');
    expect(cut('ab', 0)).toBe('');
    expect(padded('蜂', 4)).toBe('蜂  ');
    expect(padded('1', 4, true)).toBe('   1');
  });

  test('lines break at spaces where they can', () => {
    expect([...wrapped('one two three four', 9)]).toEqual(['one two', 'three', 'four']);
    expect([...wrapped('x'.repeat(25), 10)]).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
    expect([...wrapped('蜂'.repeat(6), 5)]).toEqual(['蜂蜂', '蜂蜂', '蜂蜂']);
    expect([...wrapped('蜂蜂', 1)]).toEqual(['蜂', '蜂']); // wider than the screen: still an end
    expect([...wrapped('', 10)]).toEqual(['']);
    expect([...wrapped('    indented line', 12)]).toEqual(['    indented', 'line']);
  });

  test('a line for a terminal breaks at spaces only; a second column goes on under itself', () => {
    expect(fitted('it fits', 7)).toEqual(['it fits']);
    expect(fitted('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(fitted('  head log: went back', 14)).toEqual(['  head log:', '    went back']);
    expect(fitted('ok   disk   there is room for all of it', 26)).toEqual([
      'ok   disk   there is room',
      '            for all of it',
    ]);
    // A path can be copied: nothing is put into it, and no empty line before it.
    const path = `/${'x'.repeat(30)}`;
    expect(fitted(`    ${path}`, 20)).toEqual([`    ${path}`]);
    expect(fitted(`see ${path} then`, 20)).toEqual(['see', path, 'then']);
    expect(fitted(`ok  the key ${path} signs`, 34)).toEqual(['ok  the key', `  ${path}`, '    signs']);
    const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;
    expect(fitted(dim('  twelve chars'), 14)).toEqual([dim('  twelve chars')]);
    expect(fitted(dim('  one two three'), 10).join('|')).toBe('\u001b[2m  one two|    three\u001b[22m');
    expect(fitted('蜂蜜 蜂蜜 蜂蜜', 9)).toEqual(['蜂蜜 蜂蜜', '蜂蜜']);
  });

  test('a field of whole words: what is wider than the line has one of its own', () => {
    const path = `/${'x'.repeat(40)}`;
    expect(wholeField('custody', `key: here: ${path}\nheads: none`, 40)).toEqual([
      'custody   key: here:',
      path,
      '          heads: none',
    ]);
    expect(wholeField('store', path, 60)).toEqual([`store     ${path}`]);
  });

  test('the custody of a verdict: no path, however long, leaves a sign alone on a line', () => {
    const base = temporaryFolder();
    const WIDTH = 80;
    const rowsOf = (line: string): string[] => line.match(new RegExp(`.{1,${WIDTH}}`, 'g')) ?? [];
    for (let length = 1; length <= WIDTH; length++) {
      const place = join(base, 'x'.repeat(length));
      mkdirSync(place);
      const question = { path: place, keys: { dir: base, file: place }, headsDir: place, logs: ['a'.repeat(32)] };
      const custody = custodyOf({ ...question, found: 1, given: 1 });
      expect(custody).toEqual({ key: expect.stringContaining(place), heads: expect.stringContaining(place) });
      const nothing = { facts: [], broken_count: 0, findings: [], missing: [], remarks: [], not_checked: [] };
      const lines = verdictLines({ exit: 0, subject: 'a store', checked: ['all'], ...nothing, custody });
      const rows = lines.flatMap((line) => fitted(line, WIDTH)).flatMap(rowsOf);
      expect(rows.filter((row) => /^\W+$/.test(row))).toEqual([]);
    }
  });

  test('a text of megabytes is looked at only as far as it is shown', () => {
    const long = 'x '.repeat(5_000_000);
    const lines = textLines(long, 70);
    expect(lines).toHaveLength(CLI_LIMITS.textLines + 1);
    expect(lines.at(-1)).toMatch(/^… and more/);
    expect(textLines('a\u001b[2J\nb', 70)).toEqual(['a\\u001b[2J', 'b']);
  });
});

describe('tables', () => {
  const columns = [
    { title: 'a', least: 4 },
    { title: 'b', least: 6 },
    { title: 'n', right: true },
  ] as const;

  test('as wide as what is in them; the widest gives way first', () => {
    const rows = [
      ['x'.repeat(20), 'y'.repeat(10), '1'],
      ['蜂蜜', 'y', '100'],
    ];
    expect(columnWidths(columns, rows, 80)).toEqual([20, 10, 3]);
    expect(columnWidths(columns, rows, 27)).toEqual([10, 10, 3]);
    expect(columnWidths(columns, rows, 17)).toEqual([4, 6, 3]);
    expect(columnWidths(columns, rows, 14)).toEqual([3, 4, 3]); // nothing has the room it should have
    expect(tableLines(columns, rows, 27)).toEqual([
      'a           b             n',
      'xxxxxxxxx…  yyyyyyyyyy    1',
      '蜂蜜        y           100',
    ]);
  });
});

describe('lines of a table', () => {
  const columns = [
    { title: 'tool', least: 8, gives: 3 },
    { title: 'about', least: 4 },
    { title: 'outcome', least: 7, gives: 2, keeps: (cell: string) => cell.split(' ')[0] ?? '' },
    { title: 'took', right: true },
    { title: 'client', least: 6, gives: 1 },
    { title: 'n', right: true },
  ] as const;
  const widths = [8, 5, 9, 6, 6, 4];
  const line = (...cells: string[]): string => rowLine(columns, widths, cells);

  test('every cell stands where its column does; one that is too wide runs on over blanks, or is cut', () => {
    expect(line('ping', 'x', 'ok', '1 ms', 'demo', '7')).toBe('ping      x      ok           1 ms  demo       7');
    expect(line('a__long_tool', 'x', 'ok', '1 ms', 'demo', '7')).toBe(
      'a__long…  x      ok           1 ms  demo       7',
    );
    expect(line('a__long_tool', '', 'ok', '1 ms', 'demo', '7')).toBe(
      'a__long_tool     ok           1 ms  demo       7',
    );
    expect(line('ping', 'abcdef', 'failed ABC', '1 ms', 'demo', '7')).toBe(
      'ping      abcd…  failed ABC   1 ms  demo       7',
    );
    expect(line('ping', 'x', 'failed OUTCOME_UNKNOWN', '', 'demo', '7')).toBe(
      'ping      x      failed OUTCOME_U…  demo       7',
    );
    expect(line('ping', 'x', '', '', '', '7')).toBe('ping      x                                    7');
  });

  test('what is kept of a cell is never cut', () => {
    expect(line('ping', 'x', 'refused TOOL_GONE', '12.3 s', 'demo', '7')).toBe(
      'ping      x      refused…   12.3 s  demo       7',
    );
    expect(line('ping', 'x', 'cancelled CODE', '12.3 s', 'demo', '7')).toBe(
      'ping      x      cancelled  12.3 s  demo       7',
    );
    const rows = [['ping', 'about it all', 'domain_error ERR_GONE_AWAY', '1 ms', 'claude-code', '7']];
    for (let width = 40; width <= 80; width++) {
      const found = columnWidths(columns, rows, width);
      expect(rowLine(columns, found, rows[0] ?? [])).toContain('domain_error');
    }
  });

  test('columns give way in their order', () => {
    const rows = [['toolname__long', 'about it all', 'failed ERR_GONE', '1 ms', 'claude-code', '7']];
    expect(columnWidths(columns, rows, 90)).toEqual([14, 12, 15, 4, 11, 1]);
    expect(columnWidths(columns, rows, 60)).toEqual([14, 5, 15, 4, 11, 1]);
    expect(columnWidths(columns, rows, 54)).toEqual([14, 4, 15, 4, 6, 1]);
    expect(columnWidths(columns, rows, 48)).toEqual([14, 4, 9, 4, 6, 1]);
    expect(columnWidths(columns, rows, 42)).toEqual([10, 4, 7, 4, 6, 1]);
  });
});

describe('the live screen', () => {
  const terminal = (rows: number) => {
    const written: string[] = [];
    return { rows, written, write: (text: string) => written.push(text) };
  };

  test('is another one than the one it leaves, once, whatever ends it', () => {
    const screen = terminal(24);
    const listeners = process.listenerCount('exit');
    const live = liveScreen(screen);
    expect(process.listenerCount('exit')).toBe(listeners + 1);
    live.draw(['one', 'two'], [], 'how to end it');
    live.leave();
    live.leave();
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(screen.written[0]).toContain('\u001b[?1049h');
    expect(screen.written[1]).toMatch(/one.*\r\ntwo.*\r\nhow to end it/);
    expect(screen.written[1]).not.toContain('\u001b[2J');
    expect(screen.written.slice(2)).toEqual([expect.stringContaining('\u001b[?1049l')]);
  });

  test('draws no more lines than there are, and always the last', () => {
    const screen = terminal(3);
    const live = liveScreen(screen);
    live.draw(['a', 'b', 'c', 'd'], [], 'end');
    live.leave();
    expect(screen.written[1]?.split('\r\n')).toHaveLength(3);
    expect(screen.written[1]).toMatch(/b.*\r\nend/);
  });
});

test('the last line of the live board says how to end it, however narrow the screen is', () => {
  for (let width = 40; width < 100; width++) {
    const line = footer('', width);
    expect(line).toMatch(/q ends/);
    expect(cut(line, width)).toBe(line);
  }
  expect(footer('x'.repeat(60), 50)).toBe(`${'x'.repeat(49)}…`);
});

describe('times', () => {
  const now = new Date(2026, 10, 16, 14, 30, 5, 7).getTime();
  const at = (...parts: [number, number, number, number, number]): string => new Date(...parts).toISOString();

  test('as short as they can be told apart', () => {
    expect(clock(at(2026, 10, 16, 2, 6), now)).toBe('02:06:00');
    expect(clock(at(2026, 10, 15, 2, 6), now)).toBe('11-15 02:06');
    expect(clock(at(2025, 10, 15, 2, 6), now)).toBe('2025-11-15');
    expect(clock('nonsense', now)).toBe('?');
    expect(stamp(new Date(now).toISOString())).toMatch(/^2026-11-16 14:30:05\.007 [+-]\d\d:\d\d$/);
    expect([0, 119_000, 120_000, 7_199_000, 7_200_000, 172_799_000, 172_800_000].map(span)).toEqual([
      '0 s',
      '119 s',
      '2 min',
      '120 min',
      '2 h',
      '48 h',
      '2 d',
    ]);
    expect([0, 999, 1_000, 9_949, 9_950, 999_499, 999_500, 99_949_000, 300_000_000].map(took)).toEqual([
      '0 µs',
      '999 µs',
      '1.0 ms',
      '9.9 ms',
      '10 ms',
      '999 ms',
      '1.0 s',
      '99.9 s',
      '5 min',
    ]);
    expect(ago('', now)).toBe('');
    expect(until(null, now)).toBe('–');
    expect(until(new Date(now + 60_000).toISOString(), now)).toBe('60 s');
  });

  test('what a person writes', () => {
    const read = (text: string): string => parseTime(text, '--since', now);
    const cases: Record<string, string> = {
      today: at(2026, 10, 16, 0, 0),
      yesterday: at(2026, 10, 15, 0, 0),
      '14:05': at(2026, 10, 16, 14, 5),
      '2026-02-28': '2026-02-28T00:00:00.000Z',
      '2026-11-16T09:10:11.5Z': '2026-11-16T09:10:11.500Z',
      '2026-11-16T09:10+02:00': '2026-11-16T07:10:00.000Z',
      '90s': new Date(now - 90_000).toISOString(),
      '30m': new Date(now - 1_800_000).toISOString(),
      '2 h': new Date(now - 7_200_000).toISOString(),
      '1w': new Date(now - 604_800_000).toISOString(),
    };
    for (const [text, time] of Object.entries(cases)) expect(read(text), text).toBe(time);
    for (const bad of [
      '',
      'soon',
      '25:00',
      '12:60',
      '2026-02-30',
      '2026-13-01',
      '3x',
      '-1h',
      '2026',
      '9999999d',
      '2026-11-16T09:10',
    ]) {
      expect(() => read(bad), bad).toThrow(/is not a time/);
    }
  });
});

test('numbers', () => {
  expect([0, 999, 1_000, 1_234_567].map(figure)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([0, 1, 1_000].map((n) => count(n, 'record'))).toEqual(['0 records', '1 record', '1,000 records']);
  expect(upTo(9_999, 10_000)).toBe('9,999');
  expect(upTo(10_000, 10_000)).toBe('10,000+');
  expect(sumUpTo([10_000, 5], 10_000)).toBe('10,005+');
  expect(sumUpTo([1, 2], 10_000)).toBe('3');
});
