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

  it('has a line that says what is wrong, where one sounds like it', async () => {
    const crash = `node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'
    at Module._resolveFilename (node:internal/error/loader:1225:15)
  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n`;
    expect((await tailOf([crash], 1_024)).tellingLine).toBe("Error: Cannot find module '/x.js'");
    const traceback = 'Traceback (most recent call last):\n  File "x"\nModuleNotFoundError: No module named y\nbye\n';
    expect((await tailOf([traceback], 1_024)).tellingLine).toBe('ModuleNotFoundError: No module named y');
    expect((await tailOf(['sh: 1: foo: not found\n\n'], 1_024)).tellingLine).toBe('sh: 1: foo: not found');
    expect((await tailOf(['listening\n'], 1_024)).tellingLine).toBe('listening');
  });

  it('has a last line that says something', async () => {
    expect((await tailOf([])).tellingLine).toBeUndefined();
    expect((await tailOf(['\n  \n'])).tellingLine).toBeUndefined();
    expect((await tailOf(['first\nlast one \r\n\n'], 64)).tellingLine).toBe('last one');
    expect((await tailOf(['\u001b[31mError:\u001b[0m red\u0007\n'], 64)).tellingLine).toBe('Error: red');
  });
});
