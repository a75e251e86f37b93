// Turns an error about a file into a sentence for the person who ran the command.
import { ColibriError, systemCode } from '../errors.js';
import { FileRefused } from './untrusted-file.js';

export const unchanged = (file: string, why: string): ColibriError =>
  new ColibriError('INVALID_PARAMS', `${file}: ${why}.`, { remedy: 'Nothing was changed.' });

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'it is on a read-only disk',
  EISDIR: 'a folder is in its place',
  ENOTDIR: 'a file is in the place of a folder above it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than this system allows',
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
    throw unchanged(file, WHY[String(code)] ?? `the system says ${code}`);
  }
};
