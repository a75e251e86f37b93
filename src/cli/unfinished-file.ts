// An output file that gets its name only when it is complete. Until then it is called `<name>.<pid>.part`; the part file is removed
// when the command fails or is interrupted (not when the process is killed).
import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ColibriError } from '../errors.js';
import { syncPath } from '../files/durable-file.js';
import { isFolder, isWritable } from './paths.js';
import { wrong } from './target.js';

interface Unfinished {
  readonly final: string;
  /** Gives the complete part file its final name. */
  readonly rename: (part: string) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Suffixes of the files that SQLite may leave beside an unfinished database. */
const SUFFIXES = ['', '-journal', '-wal', '-shm'];

const isThere = (path: string): ColibriError => wrong(`${path} already exists and was not changed.`, 'Name another.');

/** Adds a remedy to an error of the file system; Colibri's own errors have one already. */
const explained = (path: string, thrown: unknown): unknown =>
  thrown instanceof Error && 'syscall' in thrown
    ? wrong(`${path} cannot be written: ${thrown.message}`, 'Make room on the disk, or name another path.')
    : thrown;

/** Renames a file, never over another: link() fails if the name is taken. Disks without links (FAT, some shares) get a check and a rename. */
const giveNewName = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch {
    if (existsSync(to)) throw isThere(to);
    renameSync(from, to);
    return;
  }
  rmSync(from);
};

/** On a signal, cleans up and sends the signal again to end the process: `process.exit` would wait for SQLite's threads. */
const cleanOnSignal = (clean: () => void): (() => void) => {
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      clean();
      process.kill(process.pid, signal);
    };
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  return () => listeners.forEach(([signal, listener]) => void process.off(signal, listener));
};

const assertFolder = (path: string): void => {
  const folder = dirname(path);
  if (!isFolder(folder)) {
    throw wrong(`${folder} is not a folder.`, 'Make the folder first, or name another path.');
  }
  if (!isWritable(folder))
    throw wrong(`You have no permission to write into ${folder}.`, 'Name another path, or have its owner permit it.');
};

/** An output file that must not exist yet; throws if the name is taken. */
export const newFile = (final: string): Unfinished => {
  if (existsSync(final)) throw isThere(final);
  assertFolder(final);
  return { final, rename: (part) => giveNewName(part, final) };
};

/** An output file that replaces an existing regular file, and nothing else: a rename over a device would remove the device. */
export const replacedFile = (named: string): Unfinished => {
  const stats = statSync(named, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw wrong(`${named} exists and is not a file.`, 'Name another.');
  const final = stats === undefined ? named : realpathSync(named);
  assertFolder(final);
  return { final, rename: (part) => renameSync(part, final) };
};

/** Runs `work` on the part file, then flushes the file to disk and gives it its final name; removes the part file if this fails. */
export const finishing = async <T>({ final, rename }: Unfinished, work: (path: string) => Promise<T>): Promise<T> => {
  const path = `${final}.${process.pid}.part`;
  const remove = (): void => {
    for (const end of SUFFIXES) rmSync(`${path}${end}`, { force: true });
  };
  remove(); // the part file of a killed process that had the same pid
  const forgetSignals = cleanOnSignal(remove);
  try {
    const value = await work(path);
    syncPath(path);
    rename(path);
    syncPath(dirname(final));
    return value;
  } catch (thrown) {
    remove();
    throw explained(path, thrown);
  } finally {
    forgetSignals();
  }
};
