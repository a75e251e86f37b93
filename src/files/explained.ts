// Turns an error about a file into a sentence for the person who ran the command.
import { ColibriError, systemCode } from '../errors.js';
import { FileRefused } from './untrusted-file.js';

export const unchanged = (file: string, why: string): ColibriError =>
  new ColibriError('INVALID_PARAMS', `${file}: ${why}.`, { remedy: 'Nothing was changed.' });

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'it is on a read-only disk',
  EISDIR: 'a folder is in its place',
  ENOTDIR: 'a file is in the place of a folder above it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than this system allows',
};

const whyOf = (code: unknown): string => WHY[String(code)] ?? `the system says ${code}`;

/** An error of the file system that nobody has put into words, as one of Colibri's with the path and what can be done; others stay as they are. */
export const inWords = (thrown: unknown): unknown => {
  const code = systemCode(thrown);
  const path = thrown instanceof Error && 'path' in thrown ? thrown.path : undefined;
  if (thrown instanceof ColibriError || code === undefined || typeof path !== 'string') return thrown;
  return new ColibriError('INVALID_PARAMS', `${path}: ${whyOf(code)}.`, {
    remedy: 'Correct that, then run the command again.',
    cause: thrown,
  });
};

/**
 * Runs `act` on a file. If Colibri refuses the file, or the file system reports an error, a sentence for a person is thrown; other errors
 * stay as they are.
 */
export const explained = <T>(file: string, act: () => T): T => {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof FileRefused) throw unchanged(file, thrown.message);
    const code = systemCode(thrown);
    if (thrown instanceof ColibriError || code === undefined) throw thrown;
    throw unchanged(file, whyOf(code));
  }
};
