// How a command runs and ends. A failure is one line with its remedy on stderr, never a stack.

import { EXIT_FAILED, EXIT_INTERRUPTED } from '../core/exit-codes.js';
import { systemCode } from '../errors.js';
import { Interrupted } from './confirm.js';
import { scarcityOf } from './last-words.js';
import { oneLine, tell } from './screen/print.js';

/** `colibri verify | head`: the reader has seen enough, and that is no failure. */
const tolerateClosedPipe = (): void => {
  process.stdout.on('error', (thrown) => {
    if (systemCode(thrown) !== 'EPIPE') throw thrown;
  });
};

/** The action of a command; it returns the exit code. */
export const running =
  <A extends unknown[]>(act: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    tolerateClosedPipe();
    try {
      process.exitCode = await act(...args);
    } catch (thrown) {
      const scarcity = scarcityOf(thrown); // also of a module that is loaded only now
      tell(`colibri: ${scarcity === undefined ? oneLine(thrown) : `${scarcity}.`}`);
      process.exitCode = thrown instanceof Interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
  };
