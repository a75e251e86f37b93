// Manages the folders beside a database, which hold locks, backups, journals and proof files. A repository may ship a link in place of such a folder, so a folder
// is used only if it is a real folder of this user's or of the database's owner, and a file in it is removed only if Colibri made it.

import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { ColibriError } from '../../errors.js';
import { fromFileSystem } from './errors.js';
import { APPLICATION_ID } from './file.js';
import { realPath } from './identity.js';

/** The path of the folder for locks, backups, journals or proof files: beside the database's real file, so that all processes find the same folder, whichever link they follow. */
export const folderBeside = (databasePath: string, what: 'instances' | 'backups' | 'journal' | 'proofs'): string =>
  `${realPath(databasePath)}.${what}`;

/** Whether the folder belongs to this user, or to the owner of its parent folder, who also owns the database. */
const isOurs = (folder: string, { uid }: fs.Stats): boolean =>
  process.getuid === undefined || uid === process.getuid() || uid === fs.statSync(dirname(folder)).uid;

const faultOf = (folder: string): string | undefined => {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return 'is not there';
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (!stats.isDirectory()) return 'is not a folder';
  return isOurs(folder, stats) ? undefined : 'belongs to another user';
};

/** Whether the folder exists, is not a link and belongs to this user or to the database's owner. Other folders are not read. */
const isOwnFolder = (folder: string): boolean => {
  try {
    return faultOf(folder) === undefined;
  } catch {
    return false;
  }
};

/** Creates the folder if it is missing; throws if something else, such as a link, has its name. */
export const makeOwnFolder = (folder: string): void => {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    return;
  } catch (thrown) {
    if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw fromFileSystem(thrown, folder);
  }
  const fault = faultOf(folder);
  if (fault === undefined) return;
  throw new ColibriError('STORE_UNAVAILABLE', `${folder} ${fault}; Colibri uses only a folder of its own there`, {
    remedy: 'Move that folder away; Colibri makes a new one.',
    details: { path: folder },
  });
};

/** Whether the file at the path can be a lock file of Colibri's: a regular, empty file. */
export const isLockFile = (path: string): boolean => {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0 && isOwnFolder(dirname(path));
};

const HEADER_BYTES = 100;

const headerOf = (path: string): Buffer | undefined => {
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
  const descriptor = fs.openSync(path, flags);
  try {
    if (!fs.fstatSync(descriptor).isFile()) return undefined;
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, fs.readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    fs.closeSync(descriptor);
  }
};

/**
 * Whether a file is a backup by Colibri: it has Colibri's header, or is still empty because a crash interrupted the copy. Must not be
 * called for an open database, because closing a descriptor of its file would drop SQLite's locks.
 */
const isCopy = (path: string): boolean => {
  try {
    const header = headerOf(path);
    if (header === undefined) return false;
    const isSigned = header.length === HEADER_BYTES && header.readInt32BE(68) === APPLICATION_ID;
    return isSigned || header.every((byte) => byte === 0);
  } catch {
    return false;
  }
};

/** The file name of a backup: its time, then the schema version, or the process id while the copy is unfinished. */
const COPY_NAME = /^\d{8}T\d{9}Z-(?:v\d{1,9}\.db|\d{1,10}\.part)$/;

/** The file name of a backup that a person made. */
const BACKUP_NAME = /^backup-\d{8}T\d{9}Z\.db$/;

/** The time in the name of a backup. */
const stampIn = (name: string): string => name.replace(/^backup-/, '');

/** The paths of the backups beside a database, newest first: those that a person made, and those before upgrades. */
export const backupsBeside = (databasePath: string): readonly string[] => {
  const folder = folderBeside(databasePath, 'backups');
  if (!isOwnFolder(folder)) return [];
  const names = fs
    .readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name) || (COPY_NAME.test(name) && name.endsWith('.db')));
  return names.toSorted((a, b) => (stampIn(a) < stampIn(b) ? 1 : -1)).map((name) => join(folder, name));
};

/** Removes all backups but the newest `keep`, and unfinished copies that are older than these. File names sort by time. */
export const thinCopies = (folder: string, keep: number, made: string): void => {
  if (!isOwnFolder(folder)) return;
  const names = fs.readdirSync(folder).filter((name) => COPY_NAME.test(name) && isCopy(join(folder, name)));
  const oldest = names
    .filter((name) => name.endsWith('.db'))
    .sort()
    .at(-keep);
  for (const name of names) {
    // The backup just made is kept whatever its name says: the clock may have been set back.
    if (oldest !== undefined && name < oldest && name !== made) fs.rmSync(join(folder, name), { force: true });
  }
};
