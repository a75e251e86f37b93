// Runs a command and sets the exit code. A failure is one line on stderr with its remedy, never a stack trace.
import { Command } from 'commander';
import { EXIT_FAILED, EXIT_INTERRUPTED } from '../core/exit-codes.js';
import { systemCode } from '../errors.js';
import { inWords } from '../files/explained.js';
import { Interrupted } from './confirm.js';
import { scarcityOf } from './last-words.js';
import { withPlace } from './place-options.js';
import { oneLine, tell } from './screen/print.js';

/** Ignores a closed stdout: in `colibri verify | head` the reader closes the pipe early, which is not a failure. */
const tolerateClosedPipe = (): void => {
  process.stdout.on('error', (thrown) => {
    if (systemCode(thrown) !== 'EPIPE') throw thrown;
  });
};

/** Wraps a command's action: sets the exit code that the action returns, or prints the error that it throws. */
export const running =
  <A extends unknown[]>(act: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    tolerateClosedPipe();
    try {
      process.exitCode = await act(...args);
    } catch (thrown) {
      const scarcity = scarcityOf(thrown); // the error may also come from a module that is loaded only now
      tell(`colibri: ${scarcity === undefined ? oneLine(inWords(thrown)) : `${scarcity}.`}`);
      process.exitCode = thrown instanceof Interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
  };

/** Makes a command about a store, with the options that name the store and `--json`. `after`: the text below its help. */
export const storeCommand = <A extends unknown[]>(
  name: string,
  description: string,
  after: string,
  act: (...args: A) => Promise<number>,
): Command => withPlace(new Command(name)).description(description).addHelpText('after', after).action(running(act));
