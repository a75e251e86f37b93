// Writes small files, such as keys and signed heads, that must never be incomplete or overwritten: a file gets its name only after its
// content is on disk, and an existing file is never written again.
import { closeSync, fsyncSync, linkSync, openSync, writeFileSync } from 'node:fs';
import { link, lstat, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.js';
import { FILE_LIMITS } from './limits.js';
import { PRIVATE, writeWhole } from './whole-file.js';

/** Flushes a file to disk, or a folder with the names in it. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** The temporary name of a file that this process writes. */
const draftOf = (path: string): string => `${path}.${process.pid}.part`;

/** Creates a file that only its owner can read. Throws EEXIST if it exists. */
export const writeOnce = (path: string, text: string): void => {
  const draft = draftOf(path);
  writeWhole(path, (fd) => writeFileSync(fd, text), { draft, name: linkSync });
  syncPath(dirname(path));
};

/** Flushes a file or folder to disk; a new file (`wx`) after the text was written to it. */
const filled = async (path: string, flags: 'r' | 'wx', text?: string): Promise<void> => {
  const file = await open(path, flags, PRIVATE);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Does the same as `writeOnce` without holding the event loop up. The caller must not write one path twice at once. */
export const writeOnceLater = async (path: string, text: string): Promise<void> => {
  const draft = draftOf(path);
  await rm(draft, { force: true }); // a killed process that had this process id may have left a draft
  try {
    await filled(draft, 'wx', text);
    await link(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await filled(dirname(path), 'r');
};

/** Matches the name of an unfinished file: the final name, and the id of the process that writes the file. */
const UNFINISHED = /^(.+)\.([1-9]\d{0,9})\.part$/;

/** Whether another process with this id runs. A file with our own process id was left by an earlier process. EPERM: the process runs as another user. */
const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) === 'EPERM';
  }
};

/** Whether a dead process left an unfinished file or folder. A process in another container cannot be seen from here, so a young file counts as in use. */
const isLeftBehind = async (path: string, pid: number): Promise<boolean> => {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || !(stats.isFile() || stats.isDirectory())) return false;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > FILE_LIMITS.unfinishedKeptMs || (ageMs > FILE_LIMITS.unfinishedGraceMs && !isAlive(pid));
};

/**
 * Removes unfinished files and folders that killed processes left, if `isOurs` accepts their final name. Failures are ignored and tried again the next
 * time.
 */
export const removeUnfinished = async (folder: string, isOurs: (name: string) => boolean): Promise<void> => {
  try {
    for (const file of await readdir(folder)) {
      const [, name = '', pid] = UNFINISHED.exec(file) ?? [];
      const path = join(folder, file);
      if (isOurs(name) && (await isLeftBehind(path, Number(pid)))) await rm(path, { force: true, recursive: true });
    }
  } catch {
    // The folder does not exist, or this user may not change it.
  }
};
