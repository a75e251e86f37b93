// A screen that is redrawn in place. It uses the terminal's alternate screen, so that the earlier text comes back afterwards and
// nothing stays in the scrollback.
import { forTerminal } from './print.js';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

type Terminal = Pick<NodeJS.WriteStream, 'rows'> & { write(text: string): unknown };

export const liveScreen = (terminal: Terminal) => {
  let isLeft = false;
  const leave = (): void => {
    process.off('exit', leave);
    if (!isLeft) terminal.write(LEAVE);
    isLeft = true;
  };
  process.on('exit', leave); // restores the terminal however the process ends
  terminal.write(ENTER);
  return {
    /** Redraws the screen. Of `lines`, those that do not fit are left out at the bottom; `below` goes before them, and `last` is always shown. */
    draw: (lines: readonly string[], below: readonly string[], last: string): void => {
      const most = terminal.rows > 0 ? terminal.rows - 1 : lines.length + below.length; // some terminals do not report their height
      const kept = below.slice(0, most);
      const shown = [...lines.slice(0, most - kept.length), ...kept, last];
      terminal.write(`${HOME}${shown.map((line) => `${forTerminal(line)}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
    },
    leave,
  };
};
