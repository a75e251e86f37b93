// A picture that is drawn again and again: on the terminal's other screen, so that what stood there before comes back and
// nothing of it stays in the scrollback.
import { forTerminal } from './print.js';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export interface LiveScreen {
  /** What does not fit is left out below; the last line is always shown. */
  draw(lines: readonly string[], last: string): void;
  leave(): void;
}

type Terminal = Pick<NodeJS.WriteStream, 'rows'> & { write(text: string): unknown };

export const liveScreen = (terminal: Terminal): LiveScreen => {
  let isLeft = false;
  const leave = (): void => {
    process.off('exit', leave);
    if (!isLeft) terminal.write(LEAVE);
    isLeft = true;
  };
  process.on('exit', leave); // whatever ends us, the terminal is given back
  terminal.write(ENTER);
  return {
    draw: (lines, last) => {
      const most = terminal.rows > 0 ? terminal.rows - 1 : lines.length; // some terminals do not say
      const shown = [...lines.slice(0, most), last];
      terminal.write(`${HOME}${shown.map((line) => `${forTerminal(line)}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
    },
    leave,
  };
};
