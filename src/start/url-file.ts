// Reads the address of the database from the file of COLIBRI_DATABASE_URL_FILE. No message shows what is in the file: it may hold a password.
import { isPostgresUrl } from '../core/database-url.js';
import { ColibriError } from '../errors.js';
import { NotPrivate, readPrivateText } from '../files/private-text.js';
import { START_LIMITS } from './limits.js';

const NAME = 'COLIBRI_DATABASE_URL_FILE';

const refused = (path: string, why: string, remedy: string): ColibriError =>
  new ColibriError('CONFIG_INVALID', `${NAME}: ${path} ${why}`, { remedy });

const textIn = (path: string): string => {
  try {
    return readPrivateText(path, START_LIMITS.urlFileBytes, 'the address');
  } catch (thrown) {
    throw thrown instanceof NotPrivate ? refused(path, thrown.message, thrown.remedy) : thrown;
  }
};

export const readUrlFile = (path: string): string => {
  const text = textIn(path);
  if (isPostgresUrl(text)) return text;
  throw refused(path, 'does not hold an address of the form postgres://…', 'docs/postgres.md shows one.');
};
