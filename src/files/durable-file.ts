// Small files that are whole or not there: keys and heads. Their name appears when their content is on disk, and a
// name that exists is never written again.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.js';
import { FILE_LIMITS } from './limits.js';
import { writeWhole } from './whole-file.js';

/** A file, or a folder with the names in it. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Readable by its owner alone. Throws EEXIST where there is such a file already. */
export const writeOnce = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.part`;
  writeWhole(path, (fd) => writeFileSync(fd, text), { draft, name: linkSync });
  syncPath(dirname(path));
};

/** The name that a file was to get, and who was writing it. */
const UNFINISHED = /^(.+)\.([1-9]\d{0,9})\.part$/;

/** Our own number on a file that we are not writing was another's before us. EPERM: it lives, and is another user's. */
const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) === 'EPERM';
  }
};

/** A writer in another container cannot be seen from here: what is young is left alone whoever made it. */
const isLeftBehind = (path: string, pid: number): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return false;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > FILE_LIMITS.unfinishedKeptMs || (ageMs > FILE_LIMITS.unfinishedGraceMs && !isAlive(pid));
};

/** Takes away what killed processes left of files whose name `isOurs` knows. What fails is tried again the next time. */
export const removeUnfinished = (folder: string, isOurs: (name: string) => boolean): void => {
  try {
    for (const file of readdirSync(folder)) {
      const [, name = '', pid] = UNFINISHED.exec(file) ?? [];
      const path = join(folder, file);
      if (isOurs(name) && isLeftBehind(path, Number(pid))) rmSync(path, { force: true });
    }
  } catch {
    // The folder is not there, or not ours to change.
  }
};
