// Makes sure that a person sits at the terminal: shows four digits there, which must be typed back. It reads and writes the terminal itself,
// so that a pipe cannot answer.
import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { quietly } from '../../errors.js';
import { Interrupted } from '../confirm.js';
import { forTerminal } from '../screen/print.js';
import { wrong } from '../target.js';

const noTerminal = () =>
  wrong(
    'There is no terminal, or the input of this command is not one: nobody can be asked here.',
    'Run it by hand, in a terminal of your own.',
  );

/** Shows the lines and a question on the terminal; true if the digits that stand there were typed back. */
export const typedBack = async (lines: readonly string[], question: string): Promise<boolean> => {
  if (process.stdin.isTTY !== true) throw noTerminal();
  const fd = quietly(() => openSync('/dev/tty', 'r+'));
  if (fd === undefined) throw noTerminal();
  const digits = String(randomInt(10_000)).padStart(4, '0');
  const [input, output] = [new ReadStream(fd), new WriteStream(fd)];
  const asker = createInterface({ input, output });
  const closed = new Promise<string>((resolve, reject) =>
    asker.once('SIGINT', () => reject(new Interrupted('Nothing was recorded.'))).once('close', () => resolve('')),
  );
  try {
    for (const line of lines) output.write(`${forTerminal(line)}\n`);
    const typed = asker.question(`${question} Type ${digits} to answer: `).catch(() => '');
    return (await Promise.race([typed, closed])).trim() === digits;
  } finally {
    asker.close();
    input.destroy();
    quietly(() => closeSync(fd));
  }
};
