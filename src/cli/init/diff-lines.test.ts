import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.js';

const shown = (before: string | undefined, after: string | undefined, known?: string[]) =>
  diffLines(before, after, known).map(({ sign, text }) => `${sign}${text}`);

test('what differs, with two lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';
  expect(shown(before, before.replace('b\n', '').replace('i\n', 'I\ni2\n'))).toEqual([
    ...[' a', '-b', ' c', ' d', '…', ' g', ' h', '-i', '+I', '+i2', ' j'],
  ]);
  expect(shown(undefined, 'x\r\ny\r\n')).toEqual(['+x', '+y']);
  expect(shown('x\n', undefined)).toEqual(['-x']);
  expect(shown('x\n', 'x\n')).toEqual([]);
});

test('no secret is shown', () => {
  const lines = shown(
    '{\n  "A_TOKEN": "abc",\n  "level": "x"\n}\n',
    'API_KEY = "abc"\nurl = "${' + 'KEY}"\nbare = "hidden"\n',
    ['hidden'],
  ).join('\n');
  expect(lines).not.toMatch(/abc|hidden/);
  const args = '"args": ["--api-key=s1", "--token", "s2", "-e", "A_SECRET=s3", "https://u:s4@h/", "--level=s5"]\n';
  expect(shown(undefined, args).join()).not.toMatch(/s[1-4]/);
  expect(shown(undefined, args).join()).toContain('s5');
  expect(lines).toContain('"level": "x"');
});

test('taking the signs gives both texts back', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = diffLines(`${a.join('\n')}\n`, `${b.join('\n')}\n`);
      const gone = lines.filter(({ sign }) => sign === '-').length;
      const made = lines.filter(({ sign }) => sign === '+').length;
      expect(a.length - gone).toBe(b.length - made);
      expect(gone + made > 0).toBe(a.join() !== b.join());
    }),
  );
});
