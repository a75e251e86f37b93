// Writes small files, such as keys and signed heads, that must never be incomplete or overwritten: a file gets its name only after its
// content is on disk, and an existing file is never written again.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.js';
import { FILE_LIMITS } from './limits.js';
import { writeWhole } from './whole-file.js';

/** Flushes a file to disk, or a folder with the names in it. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Creates a file that only its owner can read. Throws EEXIST if it exists. */
export const writeOnce = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.part`;
  writeWhole(path, (fd) => writeFileSync(fd, text), { draft, name: linkSync });
  syncPath(dirname(path));
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

/** Whether a dead process left an unfinished file. A process in another container cannot be seen from here, so a young file counts as in use. */
const isLeftBehind = (path: string, pid: number): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return false;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > FILE_LIMITS.unfinishedKeptMs || (ageMs > FILE_LIMITS.unfinishedGraceMs && !isAlive(pid));
};

/**
 * Removes unfinished files that killed processes left, if `isOurs` accepts their final name. Failures are ignored and tried again the next
 * time.
 */
export const removeUnfinished = (folder: string, isOurs: (name: string) => boolean): void => {
  try {
    for (const file of readdirSync(folder)) {
      const [, name = '', pid] = UNFINISHED.exec(file) ?? [];
      const path = join(folder, file);
      if (isOurs(name) && isLeftBehind(path, Number(pid))) rmSync(path, { force: true });
    }
  } catch {
    // The folder does not exist, or this user may not change it.
  }
};
