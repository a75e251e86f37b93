// A person's own text files, read and replaced whole or not at all. Mode, owner and symbolic links stay; a file that cannot be changed
// is told in one line before anything is touched.
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../errors.js';
import { explained, unchanged } from '../files/explained.js';
import { type HeldState, replaceHeld } from '../files/held-file.js';
import { FILE_LIMITS } from '../files/limits.js';
import { isInside, readUntrusted } from '../files/untrusted-file.js';
import { CLI_LIMITS } from './limits.js';

/** Where a name leads, also where nothing is there yet. */
export const realFile = (file: string): string => {
  let path = file;
  for (let links = 0; links < CLI_LIMITS.symbolicLinks; links += 1) {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() !== true) return path;
    path = resolve(dirname(path), fs.readlinkSync(path));
  }
  throw unchanged(file, 'its symbolic links lead nowhere');
};

/**
 * Undefined: there is no such file. A file below `project` may have come with the repository: no link of it is followed out of there.
 * Others are the user's own, and may be links.
 */
export const readText = (file: string, project?: string): string | undefined =>
  explained(file, () => {
    try {
      const bytes = readUntrusted(file, {
        maxBytes: FILE_LIMITS.textFileBytes,
        within: project !== undefined && isInside(file, project) ? project : undefined,
      });
      const text = bytes.toString('utf8');
      if (!Buffer.from(text, 'utf8').equals(bytes)) throw unchanged(file, 'it is no UTF-8 text');
      return text;
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  });

const codeError = (code: string): Error => Object.assign(new Error(code), { code });

const nearestFolder = (path: string): string => {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  return stats === undefined && dirname(path) !== path ? nearestFolder(dirname(path)) : path;
};

/** A rename would replace a file that is read-only, so it is asked for itself too. */
export const assertWritable = (file: string): void =>
  explained(file, () => {
    const real = realFile(file);
    const folder = nearestFolder(dirname(real));
    if (!fs.statSync(folder).isDirectory()) throw codeError('ENOTDIR');
    if (fs.existsSync(real)) fs.accessSync(real, fs.constants.W_OK);
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  });

/** A repository may hold links that lead to files of the user's; what belongs into a project is written nowhere else. */
export const assertInside = (file: string, project: string | undefined): void => {
  if (project === undefined || !file.startsWith(`${project}/`)) return;
  const real = explained(file, () => fs.realpathSync(nearestFolder(realFile(file))));
  if (`${real}/`.startsWith(`${fs.realpathSync(project)}/`)) return;
  throw unchanged(file, 'a symbolic link leads out of the project');
};

/** Folders that are not there yet, the outermost first. */
export const missingFolders = (folder: string): readonly string[] =>
  fs.existsSync(folder) || dirname(folder) === folder ? [] : [...missingFolders(dirname(folder)), folder];

export const makeFolders = (folder: string): void =>
  explained(folder, () => {
    for (const missing of missingFolders(folder)) fs.mkdirSync(missing, { recursive: true });
  });

const keepOwner = (fd: number, stats: fs.Stats): void => {
  fs.fchmodSync(fd, stats.mode & 0o7777);
  const me = fs.fstatSync(fd);
  if (me.uid === stats.uid && me.gid === stats.gid) return;
  try {
    fs.fchownSync(fd, stats.uid, stats.gid);
  } catch {
    // Only root may give a file away; whoever may replace it may also own it.
  }
};

/** `mode` counts for a new file. */
export const replaceText = (held: HeldState, file: string, text: string, mode = 0o600): void =>
  explained(file, () => {
    const real = realFile(file);
    const before = fs.statSync(real, { throwIfNoEntry: false });
    replaceHeld(
      held,
      real,
      (fd) => {
        if (before !== undefined) keepOwner(fd, before);
        fs.writeFileSync(fd, text);
      },
      mode,
    );
  });

/** The file that the name leads to; a link to it stays. */
export const removeText = (file: string): void => explained(file, () => fs.rmSync(realFile(file), { force: true }));
