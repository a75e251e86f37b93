// Which files a path leads to, asked by stat alone: this opens no descriptor, because closing one would drop SQLite's locks on the
// file. Whoever can write the folder can put anything under our names, so it is asked before and while the engine uses them.

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ColibriError, systemCode } from '../../errors.js';

/** With every link resolved; where nothing is there yet, those of the folders above it. */
export const realPath = (path: string): string => {
  try {
    return fs.realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
};

/** What the engine keeps beside a database under its name. It would follow a link there, and write to where it leads. */
const ENGINE_FILES = ['-wal', '-shm', '-journal'] as const;

const KINDS: readonly (readonly [is: (stats: fs.Stats) => boolean, kind: string])[] = [
  [(stats) => stats.isSymbolicLink(), 'a symbolic link'],
  [(stats) => stats.isDirectory(), 'a folder'],
  [(stats) => stats.isFIFO(), 'a pipe'],
  [(stats) => stats.isSocket(), 'a socket'],
];

const kindOf = (stats: fs.Stats): string => KINDS.find(([is]) => is(stats))?.[1] ?? 'a device';

/** What cannot be looked at is the engine's to complain about. */
const quietly = (look: () => fs.Stats | undefined): fs.Stats | undefined => {
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

/** Some file systems do not count them. What is not a file is refused elsewhere. */
const assertSingle = (path: string, stats: fs.Stats | undefined, what: string): void => {
  if (stats?.isFile() === true && stats.nlink > 1) throw linkedError(path, stats.nlink, what);
};

/**
 * Opening a pipe would wait without end, reading a device too. A log under a second name may be any file of the user's, and would be
 * written over. `path` has its links resolved.
 */
export const assertPlainFiles = (path: string): void => {
  assertPlain(
    path,
    quietly(() => fs.statSync(path, { throwIfNoEntry: false })),
  );
  for (const end of ENGINE_FILES) {
    const file = `${path}${end}`;
    const stats = quietly(() => fs.lstatSync(file, { throwIfNoEntry: false }));
    assertPlain(file, stats);
    assertSingle(file, stats, 'file');
  }
};

/** Under a second name it would get a second write-ahead log and a second set of locks, and two processes would not see each other. */
export const assertOneName = (path: string): void => {
  const stats = quietly(() => fs.statSync(path, { throwIfNoEntry: false }));
  assertSingle(path, stats, 'database');
};

/**
 * A link to nothing, or to an empty file: the engine would make a database of it, wherever that is. A store is begun only under its own
 * name; a link to one that is there is fine.
 */
export const assertNotNewThroughLink = (path: string): void => {
  if (quietly(() => fs.lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() !== true) return;
  const target = quietly(() => fs.statSync(path, { throwIfNoEntry: false }));
  if (target !== undefined && (!target.isFile() || target.size > 0)) return;
  throw new ColibriError('STORE_UNAVAILABLE', `${path} is a symbolic link to ${target ? 'an empty file' : 'nothing'}`, {
    remedy: 'Remove the link; Colibri begins a store only under its own name.',
    details: { path },
  });
};

interface Known {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

const knownAt = (path: string): Known | undefined => {
  const stats = quietly(() => fs.statSync(path, { throwIfNoEntry: false }));
  return stats && { path, dev: stats.dev, ino: stats.ino };
};

/** Nothing, or something that is no folder, is on the way. Whatever else fails says nothing about the file. */
const MISSING: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

interface Seen {
  readonly fault?: string;
  readonly bytes?: number;
}

const seenAt = ({ path, dev, ino }: Known): Seen => {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { fault: `${path} is gone` };
    if (stats.dev !== dev || stats.ino !== ino) return { fault: `another file is in the place of ${path}` };
    return { bytes: stats.size };
  } catch (thrown) {
    return MISSING.includes(systemCode(thrown)) ? { fault: `${path} is gone` } : {};
  }
};

/** The files that an open database uses, as they were when it was opened. */
export class FileIdentity {
  readonly #database: Known | undefined;
  readonly #log: Known | undefined;
  readonly #index: Known | undefined;
  #logBytes = 0;

  /** Made when the engine has opened its files, all of them. */
  constructor(path: string) {
    this.#database = knownAt(path);
    this.#log = knownAt(`${path}-wal`);
    this.#index = knownAt(`${path}-shm`);
  }

  /** Why whoever opens the path now would miss what was just committed; undefined while all is well. Asked after each commit. */
  lost(): string | undefined {
    const database = this.#database && seenAt(this.#database);
    if (database?.fault !== undefined) return database.fault;
    if (database?.bytes === 0) return `${this.#database?.path} was emptied`;
    const log = this.#log && seenAt(this.#log);
    this.#logBytes = log?.bytes ?? this.#logBytes;
    return log?.fault;
  }

  /** The same of every file, for whoever has time. */
  lostAny(): string | undefined {
    return this.lost() ?? (this.#index && seenAt(this.#index).fault);
  }

  /**
   * How long the log is where it is shorter than when it was seen last, else undefined: another process has folded it back, or somebody
   * has cut it. To be asked before a write, which would fill the gap with zeros and hide it.
   */
  shrunkLog(): { readonly path: string; readonly bytes: number } | undefined {
    const bytes = this.#log && seenAt(this.#log).bytes;
    if (this.#log === undefined || bytes === undefined || bytes >= this.#logBytes) return undefined;
    return { path: this.#log.path, bytes };
  }

  /** Of a file that may be empty: a lock. */
  isGone(): boolean {
    return this.#database === undefined || seenAt(this.#database).fault !== undefined;
  }

  isSameAs(other: FileIdentity): boolean {
    const [one, two] = [this.#database, other.#database];
    return one?.dev === two?.dev && one?.ino === two?.ino;
  }
}
