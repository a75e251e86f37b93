// The keys of the live board: arrows choose a server, Enter shows more of it, r restarts it, q ends the screen.

export type BoardKey = 'up' | 'down' | 'enter' | 'restart' | 'quit';

/** What terminals send for each key. In raw mode Ctrl-C is a key too. */
const KEYS: Readonly<Record<string, BoardKey>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\r': 'enter',
  '\n': 'enter',
  r: 'restart',
  q: 'quit',
  '\u0003': 'quit',
};

/** Reads keys until the returned function is called; without a terminal to read from there are none. */
export const readKeys = (act: (key: BoardKey) => void): (() => void) => {
  const { stdin } = process;
  if (stdin.isTTY !== true) return () => {};
  const take = (chunk: string): void => {
    const key = KEYS[chunk];
    if (key !== undefined) act(key);
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').on('data', take).resume();
  return () => {
    stdin.off('data', take).pause();
    stdin.setRawMode(false);
  };
};
