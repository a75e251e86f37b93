// Reads a file that was named on the command line.
import { readFileSync } from 'node:fs';
import { asError, ColibriError } from '../errors.js';

/** Reads a file as text; the path `-` means stdin. */
export const readInput = (path: string, what: string): string => {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (thrown) {
    throw new ColibriError('INVALID_PARAMS', `The ${what} ${path} cannot be read: ${asError(thrown).message}`, {
      remedy: 'Give a file that this user may read, or - for stdin.',
    });
  }
};
