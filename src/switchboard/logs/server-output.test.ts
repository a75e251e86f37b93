import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FURTHER_SECRETS } from '../../../test/support/further-secrets.js';
import { SECRETS } from '../../../test/support/secrets.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { ServerOutput } from './server-output.js';

const setup = (secrets: readonly string[] = []) => {
  const lines: string[] = [];
  const output = new ServerOutput({
    hide: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text),
    write: (more) => lines.push(...more),
    nowMs: () => Date.now(),
  });
  const take = (text: string): void => output.take(Buffer.from(text));
  return { lines, output, take };
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('lines', () => {
  it('are written when they are complete, a moment later', () => {
    const { lines, take, output } = setup();
    take('one\ntw');
    expect(lines).toEqual([]);
    vi.advanceTimersByTime(SWITCHBOARD_LIMITS.serverLogDelayMs);
    expect(lines).toEqual(['one']);
    take('o\r\n\nthree\rfour');
    output.end();
    expect(lines).toEqual(['one', 'two', 'three', 'four']);
  });

  it('keep a character that comes in two chunks', () => {
    const { lines, output } = setup();
    const bytes = Buffer.from('grün\n');
    output.take(bytes.subarray(0, 3));
    output.take(bytes.subarray(3));
    output.end();
    expect(lines).toEqual(['grün']);
  });

  it('without a line end are written when they are long', () => {
    const { lines, take } = setup();
    take('x'.repeat(SWITCHBOARD_LIMITS.serverLogBlockChars));
    expect(lines.join('')).toHaveLength(SWITCHBOARD_LIMITS.serverLogBlockChars);
  });

  it('have neither colours nor control characters', () => {
    const { lines, take, output } = setup();
    take('\u001b[1;31mred\u001b[0m\u0007 a\tb \u202e\u200b\u2028end\n');
    output.end();
    expect(lines).toEqual(['red a\tb \\u202e\\u200b\\u2028end']);
  });
});

/** The longest line of a secret: a key that is written in pieces counts, too. */
const longestLine = (secret: string): string =>
  secret.split(/\r?\n|\\n/).reduce((longest, line) => (line.length > longest.length ? line : longest), '');

describe('secrets', () => {
  it.each([...SECRETS, ...FURTHER_SECRETS])('$kind', ({ secret, text }) => {
    const { lines, take, output } = setup();
    take(`starting\nError: ${text}\nthe end\n`);
    output.end();
    expect(lines.join('\n')).not.toContain(longestLine(secret));
    expect(lines[0]).toBe('starting');
  });

  it('are removed by shape, by name and by value', () => {
    const { lines, take, output } = setup(['open sesame']);
    take('Authorization: Bearer abcdefghijklmnopqrstuvwxyz\npassword=hunter2222\nthe words are open sesame\n');
    output.end();
    expect(lines.join('\n')).not.toMatch(/abcdefghij|hunter2222|open sesame/);
    expect(lines).toHaveLength(3);
  });

  it('a private key is removed, in however many pieces it comes', () => {
    const { lines, take, output } = setup();
    take('before\n-----BEGIN PRIVATE KEY-----\nAAAA\n');
    vi.advanceTimersByTime(1_000);
    take('BBBB\n');
    vi.advanceTimersByTime(1_000);
    take('CCCC\n-----END PRIVATE KEY-----\nafter\n');
    output.end();
    expect(lines.join('\n')).not.toMatch(/AAAA|BBBB|CCCC/);
    expect(lines[0]).toBe('before');
    expect(lines.at(-1)).toBe('after');
  });

  it('a key whose end never comes does not hide everything after it', () => {
    const { lines, take } = setup();
    take('-----BEGIN PRIVATE KEY-----\n');
    for (let block = 0; block < 5; block++) {
      vi.advanceTimersByTime(1_000);
      take(`${'x'.repeat(20_000)}\n`);
    }
    vi.advanceTimersByTime(1_000);
    take('later\n');
    vi.advanceTimersByTime(1_000);
    expect(lines.at(-1)).toBe('later');
  });
});

describe('a flood', () => {
  it('is bounded by the second, and what was left out is counted', () => {
    const { lines, take, output } = setup();
    const most = SWITCHBOARD_LIMITS.serverLogSecondBytes;
    for (let n = 0; n < 3; n++) take(`${'x'.repeat(most - 1)}\n`);
    vi.advanceTimersByTime(1_000);
    take('again\n');
    output.end();
    expect(lines.filter((line) => line.startsWith('('))).toEqual([
      `(${2 * most} bytes left out: too many in a second)`,
    ]);
    expect(lines.at(-1)).toBe('again');
  });

  it('a clock that steps back does not stop it', () => {
    const { lines, take, output } = setup();
    take('one\n');
    vi.setSystemTime(0);
    take('two\n');
    output.end();
    expect(lines).toEqual(['one', 'two']);
  });
});
