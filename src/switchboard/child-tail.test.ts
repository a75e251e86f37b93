import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Tail } from './child-tail.js';

const tailOf = async (chunks: readonly (string | Buffer)[], bytes = 16): Promise<Tail> => {
  const stream = new PassThrough();
  const tail = new Tail(stream, bytes);
  for (const chunk of chunks) stream.write(chunk);
  await new Promise((resolve) => setImmediate(resolve));
  return tail;
};

describe('the tail of a stream', () => {
  it('is its end', async () => {
    expect((await tailOf(['abc'])).text).toBe('abc');
    const tail = await tailOf(['0123456789', 'abcdefghij', 'klm']);
    expect(tail.text).toBe('789abcdefghijklm');
    expect(tail.text).toBe('789abcdefghijklm');
    expect((await tailOf(['x'.repeat(1_000), 'end'])).text).toBe(`${'x'.repeat(13)}end`);
  });

  it('has a last line that says something', async () => {
    expect((await tailOf([])).lastLine).toBeUndefined();
    expect((await tailOf(['\n  \n'])).lastLine).toBeUndefined();
    expect((await tailOf(['first\nlast one \r\n\n'], 64)).lastLine).toBe('last one');
    expect((await tailOf(['\u001b[31mError:\u001b[0m red\u0007\n'], 64)).lastLine).toBe('Error: red');
  });
});
