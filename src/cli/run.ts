// Runs a command and sets the exit code. A failure is one line on stderr with its remedy, never a stack trace.
import { EXIT_FAILED, EXIT_INTERRUPTED } from '../core/exit-codes.js';
import { systemCode } from '../errors.js';
import { Interrupted } from './confirm.js';
import { scarcityOf } from './last-words.js';
import { oneLine, tell } from './screen/print.js';

/** Ignores a closed stdout: in `colibri verify | head` the reader closes the pipe early, which is not a failure. */
const tolerateClosedPipe = (): void => {
  process.stdout.on('error', (thrown) => {
    if (systemCode(thrown) !== 'EPIPE') throw thrown;
  });
};

/** Wraps the action of a command, which returns the exit code. */
export const running =
  <A extends unknown[]>(act: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    tolerateClosedPipe();
    try {
      process.exitCode = await act(...args);
    } catch (thrown) {
      const scarcity = scarcityOf(thrown); // the error may also come from a module that is loaded only now
      tell(`colibri: ${scarcity === undefined ? oneLine(thrown) : `${scarcity}.`}`);
      process.exitCode = thrown instanceof Interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
  };
