// The few questions that skills ask of a file system, with its errors in our words. Nothing here follows a link unless
// it says so, and nothing can hang: a pipe with nobody at its other end is opened without waiting.
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

/** One sentence for a person; no path of a stranger in it. */
export const sayFault = (thrown: unknown): string =>
  thrown instanceof Unfit || thrown instanceof FileRefused
    ? thrown.message
    : (WORDS[codeOf(thrown)] ?? (codeOf(thrown) || asError(thrown).message));

export const isAbsent = (thrown: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown));

/** Undefined where there is nothing. */
export const lookAtSkills = async (path: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
};

export const isReadable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

/** The folder with its links resolved, or undefined where there is nothing. */
export const resolveFolder = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
};

/** Entries in the order of their names; undefined when there are more than `max`. Hidden ones do not count. */
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

/** Opens a regular file for reading and hands it to `use`. Refuses links, also on the way to it, and everything that is not a file. */
export const withFile = async <T>(
  path: string,
  use: (file: FileHandle, stats: BigIntStats) => Promise<T>,
): Promise<T> => {
  const file = await open(path, UNTRUSTED_FLAGS);
  try {
    const stats = await file.stat({ bigint: true });
    assertOpened(file.fd, stats, path);
    return await use(file, stats);
  } finally {
    await file.close();
  }
};

/** Up to `max` bytes from the beginning. */
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
