// Tests which lines go out in one write, and which still count as unwritten.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { WIRE_LIMITS } from './limits.js';
import { LineWriter } from './line-writer.js';

const rig = () => {
  const chunks: string[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  let steps = 0;
  const writer = new LineWriter(output, WIRE_LIMITS.stdoutBacklogBytes, () => {
    steps += 1;
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { writer, chunks, output, turn, steps: () => steps };
};

it('a line that is alone leaves at once', () => {
  const { writer, chunks } = rig();
  void writer.write('a', false);
  expect(chunks).toEqual(['a\n']);
});

it('lines of one turn leave as one text, in order, and count until they are written', async () => {
  const { writer, chunks, turn } = rig();
  void writer.write('a', true);
  void writer.write('b', true);
  void writer.write('c', false); // not past those that wait
  expect([chunks, writer.unwritten]).toEqual([[], 3]);
  await turn();
  expect([chunks, writer.unwritten]).toEqual([['a\nb\nc\n'], 0]);
  void writer.write('d', false);
  expect(chunks).toEqual(['a\nb\nc\n', 'd\n']);
});

it('does not wait for the end of the turn with more than there is room for', async () => {
  const { writer, chunks, turn } = rig();
  const long = 'x'.repeat(WIRE_LIMITS.togetherChars);
  void writer.write('a', true);
  void writer.write(long, true);
  expect(chunks).toEqual([`a\n${long}\n`]);
  void writer.write('b', true);
  await turn();
  expect([chunks.slice(1), writer.unwritten]).toEqual([['b\n'], 0]);
});

it('tells of progress once for what leaves together', async () => {
  const { writer, turn, steps } = rig();
  for (const line of ['a', 'b', 'c']) void writer.write(line, true);
  await turn();
  expect(steps()).toBe(1);
});

it('what was taken still leaves when its owner lets go in the same turn', async () => {
  const { writer, chunks, output, turn } = rig();
  void writer.write('a', true);
  writer.abort(new Error('closed'));
  output.end();
  await turn();
  expect([chunks, writer.unwritten]).toEqual([['a\n'], 0]);
});

it('what can leave no more is not waited for', async () => {
  const { writer, output, turn } = rig();
  void writer.write('a', true);
  output.destroy();
  await turn();
  expect(writer.unwritten).toBe(0);
});
