// The file system functions that skills use, with error messages for people. None follows a link unless its comment says so. None can hang:
// even a named pipe without a writer is opened without waiting.
import type { BigIntStats, Dirent } from 'node:fs';
import { access, constants, type FileHandle, lstat, open, opendir, realpath } from 'node:fs/promises';
import { asError } from '../../errors.js';
import { assertOpened, FileRefused, UNTRUSTED_FLAGS } from '../../files/untrusted-file.js';
import { SKILL_LIMITS } from './limits.js';
import { Unfit } from './skill.js';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ELOOP: 'a link that leads in circles',
  ENOENT: 'it is gone',
  EMFILE: 'too many open files',
};

const codeOf = (thrown: unknown): string => {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

/** Describes an error for a person. The text contains no path. */
export const sayFault = (thrown: unknown): string =>
  thrown instanceof Unfit || thrown instanceof FileRefused
    ? thrown.message
    : (WORDS[codeOf(thrown)] ?? (codeOf(thrown) || asError(thrown).message));

const isAbsent = (thrown: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown));

const ifThere = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((thrown: unknown) => {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  });

/** The stats of a file or folder, or undefined if there is nothing at the path. Does not follow a link. */
export const lookAtSkills = (path: string): Promise<BigIntStats | undefined> => ifThere(lstat(path, { bigint: true }));

/** A folder's path with links resolved, or undefined if there is nothing at the path. */
export const resolveFolder = (path: string): Promise<string | undefined> => ifThere(realpath(path));

export const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

/** The entries of a folder that are not hidden, sorted by name; undefined if there are more than `max`. */
export const entriesOf = async (folder: string, max: number): Promise<readonly Dirent[] | undefined> => {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: SKILL_LIMITS.folderBatch })) {
    if (entry.name.startsWith('.')) continue;
    if (entries.length === max) return undefined;
    entries.push(entry);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
};

export const skillStamp = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

/** Opens a regular file for reading and passes it to `use`. Refuses everything else, and links anywhere in the path. */
export const withFile = async <T>(path: string, use: (file: FileHandle, stats: BigIntStats) => Promise<T>) => {
  const file = await open(path, UNTRUSTED_FLAGS);
  try {
    const stats = await file.stat({ bigint: true });
    assertOpened(file.fd, stats, path);
    return await use(file, stats);
  } finally {
    await file.close();
  }
};

/** Reads at most `max` bytes from the beginning of a file. */
export const readStart = async (file: FileHandle, max: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(max);
  let length = 0;
  while (length < max) {
    const { bytesRead } = await file.read(bytes, length, max - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
};
