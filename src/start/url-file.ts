// Reads the address of the database from the file of COLIBRI_DATABASE_URL_FILE. No message shows what is in the file: it may hold a password.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isPostgresUrl } from '../core/database-url.js';
import { ColibriError, quietly, systemCode } from '../errors.js';
import { START_LIMITS } from './limits.js';

const NAME = 'COLIBRI_DATABASE_URL_FILE';
/** Rights of the group and of all others. */
const OTHERS = 0o077;

const refused = (path: string, why: string, remedy: string): ColibriError =>
  new ColibriError('CONFIG_INVALID', `${NAME}: ${path} ${why}`, { remedy });

const openPlain = (path: string): number => {
  try {
    // Without waiting: opening a pipe would block.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    throw refused(
      path,
      `cannot be read (${String(systemCode(thrown))})`,
      'Correct the path, or the rights of the file.',
    );
  }
};

const textIn = (path: string, descriptor: number): string => {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) throw refused(path, 'is not a file', 'Name a file that holds the address alone.');
  if ((stats.mode & OTHERS) !== 0 && process.platform !== 'win32')
    throw refused(path, 'can be read or written by others', `chmod 600 ${path}`);
  if (stats.size > START_LIMITS.urlFileBytes)
    throw refused(path, 'is too large', 'Name a file that holds the address alone.');
  return readFileSync(descriptor, 'utf8').trim();
};

export const readUrlFile = (path: string): string => {
  const descriptor = openPlain(path);
  try {
    const text = textIn(path, descriptor);
    if (isPostgresUrl(text)) return text;
    throw refused(path, 'does not hold an address of the form postgres://…', 'docs/postgres.md shows one.');
  } finally {
    quietly(() => closeSync(descriptor));
  }
};
