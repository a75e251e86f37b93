// Reads the address of the database from the file of COLIBRI_DATABASE_URL_FILE. No message shows what is in the file: it may hold a password.
import { isPostgresUrl } from '../core/database-url.js';
import { ColibriError } from '../errors.js';
import { NotPrivate, readPrivateText } from '../files/private-text.js';
import { START_LIMITS } from './limits.js';

export const URL_FILE = 'COLIBRI_DATABASE_URL_FILE';

const ADDRESS_FORM =
  'docs/postgres.md shows one. In a user or a password, write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, a space as %20.';

const refused = (path: string, why: string, remedy: string): ColibriError =>
  new ColibriError('CONFIG_INVALID', `${URL_FILE}: ${path} ${why}`, { remedy });

const textIn = (path: string): string => {
  try {
    return readPrivateText(path, START_LIMITS.urlFileBytes, 'the address');
  } catch (thrown) {
    throw thrown instanceof NotPrivate ? refused(path, thrown.message, thrown.remedy) : thrown;
  }
};

export const readUrlFile = (path: string): string => {
  const text = textIn(path);
  if (/[\r\n]/.test(text))
    throw refused(path, 'holds more than one line', 'Leave one line in it: the address, and nothing else.');
  if (isPostgresUrl(text)) return text;
  throw refused(path, 'does not hold an address of the form postgres://…', ADDRESS_FORM);
};
