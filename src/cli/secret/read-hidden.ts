// Reads a line that must not be seen: from a terminal without an echo, or the whole of a pipe without its last line end.
import { Interrupted } from '../confirm.js';

const CTRL_C = '\u0003';
/** What ends the line. */
const ENDS = ['\r', '\n', '\u0004'];
const ERASE = ['\u007f', '\b'];

const fromPipe = async (): Promise<string> => {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return text.replace(/\r?\n$/, '');
};

const fromTerminal = (question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process;
    let typed = '';
    let isOver = false;
    const end = (act: () => void): void => {
      isOver = true;
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      act();
    };
    const take = (chunk: string): void => {
      for (const char of chunk) {
        if (char === CTRL_C) end(() => reject(new Interrupted('Nothing was changed.')));
        else if (ENDS.includes(char)) end(() => resolve(typed));
        if (isOver) return;
        typed = ERASE.includes(char) ? typed.slice(0, -1) : typed + char;
      }
    };
    // The echo is off before the question is asked: somebody who types fast must not be seen either.
    stdin.setRawMode(true);
    stderr.write(question);
    stdin.setEncoding('utf8').on('data', take).resume();
  });

export const readHidden = (question: string): Promise<string> =>
  process.stdin.isTTY === true ? fromTerminal(question) : fromPipe();
