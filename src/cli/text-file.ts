// Reads and replaces the user's text files, each whole or not at all. Mode, owner and symbolic links are kept. A file that cannot be
// changed is reported in one line before any file is changed.
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quietly, systemCode } from '../errors.js';
import { explained, unchanged } from '../files/explained.js';
import { type HeldState, replaceHeld } from '../files/held-file.js';
import { FILE_LIMITS } from '../files/limits.js';
import { isInside, readUntrusted } from '../files/untrusted-file.js';
import { CLI_LIMITS } from './limits.js';

/** Follows symbolic links to the real path of the file, which need not exist yet. */
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
 * The text of a file; undefined if there is none. A file below `project` may have come with the repository, so no link is followed out
 * of the project. Other files are the user's own and may be links to anywhere.
 */
export const readText = (file: string, project?: string): string | undefined =>
  explained(file, () => {
    try {
      const bytes = readUntrusted(file, {
        maxBytes: FILE_LIMITS.textFileBytes,
        within: project !== undefined && isInside(file, project) ? project : undefined,
      });
      const text = bytes.toString('utf8');
      if (!Buffer.from(text, 'utf8').equals(bytes)) throw unchanged(file, 'it is not UTF-8 text');
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

/** Throws unless the file and its folder are writable: a rename would replace even a read-only file. */
export const assertWritable = (file: string): void =>
  explained(file, () => {
    const real = realFile(file);
    const folder = nearestFolder(dirname(real));
    if (!fs.statSync(folder).isDirectory()) throw codeError('ENOTDIR');
    if (fs.existsSync(real)) fs.accessSync(real, fs.constants.W_OK);
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  });

/** Throws if a project's file is really outside the project: a repository may contain links to the user's other files. */
export const assertInside = (file: string, project: string | undefined): void => {
  if (project === undefined || !file.startsWith(`${project}/`)) return;
  const real = explained(file, () => fs.realpathSync(nearestFolder(realFile(file))));
  if (`${real}/`.startsWith(`${fs.realpathSync(project)}/`)) return;
  throw unchanged(file, 'a symbolic link leads out of the project');
};

/** The folders to create so that `folder` exists: itself and the folders above it that do not exist yet, the outermost first. */
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
  // Only root may change a file's owner. If another user runs this, the new file belongs to that user.
  quietly(() => fs.fchownSync(fd, stats.uid, stats.gid));
};

/** Replaces the text of a file. `mode`: the permissions if the file is new. */
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

/** Removes the file that the path leads to; a symbolic link to the file stays. */
export const removeText = (file: string): void => explained(file, () => fs.rmSync(realFile(file), { force: true }));
