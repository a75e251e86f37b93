// Reads a small text that must be nobody else's: a key, an address with a password. A file that others can read or write is refused.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { quietly, systemCode } from '../errors.js';

/** Rights of the group and of all others. */
const OTHERS = 0o077;

/** Why a file was refused. The message goes on after the path of the file, and shows nothing of what is in it. */
export class NotPrivate extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const openPlain = (path: string): number => {
  try {
    // Without waiting: opening a pipe would block.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    throw new NotPrivate(
      `cannot be read (${String(systemCode(thrown))})`,
      'Correct the path, or the rights of the file.',
    );
  }
};

/** `what`: what the file should hold, for the remedy. Throws `NotPrivate`. */
export const readPrivateText = (path: string, most: number, what: string): string => {
  const descriptor = openPlain(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new NotPrivate('is not a file', `Name a file that holds ${what} alone.`);
    if ((stats.mode & OTHERS) !== 0 && process.platform !== 'win32')
      throw new NotPrivate('can be read or written by others', `chmod 600 ${path}`);
    if (stats.size > most) throw new NotPrivate('is too large', `Name a file that holds ${what} alone.`);
    return readFileSync(descriptor, 'utf8').trim();
  } finally {
    quietly(() => closeSync(descriptor));
  }
};
