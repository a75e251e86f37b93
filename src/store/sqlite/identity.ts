// Checks which files the paths of a database lead to, by stat alone: opening and closing a descriptor would drop SQLite's locks. Whoever
// can write the folder can replace these files, so they are checked before SQLite opens them and while it uses them.

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ColibriError } from '../../errors.js';

/** The path with every link resolved; if the file does not exist yet, with the links of its folders resolved. */
export const realPath = (path: string): string => {
  try {
    return fs.realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
};

/** The suffixes of the files that SQLite keeps beside a database. If one of them is a link, SQLite would follow it and write to its target. */
const ENGINE_FILES = ['-wal', '-shm', '-journal'] as const;

const KINDS: readonly (readonly [is: (stats: fs.Stats) => boolean, kind: string])[] = [
  [(stats) => stats.isSymbolicLink(), 'a symbolic link'],
  [(stats) => stats.isDirectory(), 'a folder'],
  [(stats) => stats.isFIFO(), 'a pipe'],
  [(stats) => stats.isSocket(), 'a socket'],
];

const kindOf = (stats: fs.Stats): string => KINDS.find(([is]) => is(stats))?.[1] ?? 'a device';

/** The stats of a file; undefined if stat fails: SQLite will report the error when it opens the file. */
const statOrUndefined = (look: () => fs.Stats | undefined): fs.Stats | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

const assertPlain = (path: string, stats: fs.Stats | undefined): void => {
  if (stats === undefined || stats.isFile()) return;
  throw new ColibriError('STORE_UNAVAILABLE', `${path} is ${kindOf(stats)}, not a file, and cannot be opened`, {
    remedy: 'Check that the path names a file; move away what is there, or name another store.',
    details: { path },
  });
};

const linkedError = (path: string, names: number, what: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `${path} is one of ${names} hard links to the same ${what}`, {
    remedy: 'Remove the other names, or replace this one by a copy (cp, then mv); two names damage a database.',
    details: { path, names },
  });

/** Throws if a file has several hard links. Some file systems do not count links; anything but a regular file is refused elsewhere. */
const assertSingle = (path: string, stats: fs.Stats | undefined, what: string): void => {
  if (stats?.isFile() === true && stats.nlink > 1) throw linkedError(path, stats.nlink, what);
};

/**
 * Throws unless the database and SQLite's files beside it are regular files with one name. Opening a pipe or reading a device would block
 * for ever, and a write-ahead log with a second hard link may be any file of the user's, which would be overwritten. `path` has its links
 * resolved.
 */
export const assertPlainFiles = (path: string): void => {
  assertPlain(
    path,
    statOrUndefined(() => fs.statSync(path, { throwIfNoEntry: false })),
  );
  for (const end of ENGINE_FILES) {
    const file = `${path}${end}`;
    const stats = statOrUndefined(() => fs.lstatSync(file, { throwIfNoEntry: false }));
    assertPlain(file, stats);
    assertSingle(file, stats, 'file');
  }
};

/** Throws if the database file has a second hard link: under another name it would get other locks and another write-ahead log. */
export const assertOneName = (path: string): void => {
  const stats = statOrUndefined(() => fs.statSync(path, { throwIfNoEntry: false }));
  assertSingle(path, stats, 'database');
};

/**
 * Throws if the database path is a link to nothing or to an empty file: SQLite would create a database at the link's target, wherever that
 * is. A link to an existing store is allowed.
 */
export const assertNotNewThroughLink = (path: string): void => {
  if (statOrUndefined(() => fs.lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() !== true) return;
  const target = statOrUndefined(() => fs.statSync(path, { throwIfNoEntry: false }));
  if (target !== undefined && (!target.isFile() || target.size > 0)) return;
  throw new ColibriError('STORE_UNAVAILABLE', `${path} is a symbolic link to ${target ? 'an empty file' : 'nothing'}`, {
    remedy: 'Remove the link; Colibri creates a new store only at a path that is not a link.',
    details: { path },
  });
};

/** Whether two paths lead to the same file. */
export const isSameFile = (one: string, other: string): boolean => {
  const [first, second] = [knownAt(one), knownAt(other)];
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
};

/** Which file a path leads to. */
export interface Known {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

export const knownAt = (path: string): Known | undefined => {
  const stats = statOrUndefined(() => fs.statSync(path, { throwIfNoEntry: false }));
  return stats && { path, dev: stats.dev, ino: stats.ino };
};
