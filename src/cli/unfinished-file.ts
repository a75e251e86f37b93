// A file that a command makes: whole under its name, or not there. Until then it has another name, which says so, and
// goes with the command unless that was killed.
import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ColibriError } from '../errors.js';
import { syncPath } from '../files/durable-file.js';
import { isFolder } from './paths.js';
import { wrong } from './target.js';

export interface Unfinished {
  /** Where it is written. */
  readonly path: string;
  /** On disk and under its name from here on. */
  finish(): void;
  discard(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What SQLite may leave beside a file that it did not finish. */
const BESIDE = ['', '-journal', '-wal', '-shm'];

const isThere = (path: string): ColibriError =>
  wrong(`${path} is already there and is left as it is.`, 'Name another.');

/** Errors of the file system say what they tried; ours have a remedy already. */
const explained = (path: string, thrown: unknown): unknown =>
  thrown instanceof Error && 'syscall' in thrown
    ? wrong(`${path} cannot be written: ${thrown.message}`, 'Make room or name another place.')
    : thrown;

/** Some disks (FAT, some shares) know no links; there somebody else may win a race of microseconds. */
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

/** Ends as the signal would have ended us; a thread inside the engine would keep `process.exit` waiting. */
const endedBySignal = (clean: () => void): { forget(): void } => {
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      clean();
      process.kill(process.pid, signal);
    };
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  return { forget: () => listeners.forEach(([signal, listener]) => void process.off(signal, listener)) };
};

const unfinished = (final: string, name: (from: string) => void): Unfinished => {
  const path = `${final}.${process.pid}.part`;
  const remove = (): void => {
    for (const end of BESIDE) rmSync(`${path}${end}`, { force: true });
  };
  remove(); // of a process that had our number and was killed
  const signals = endedBySignal(remove);
  return {
    path,
    finish: () => {
      syncPath(path);
      name(path);
      signals.forget();
      syncPath(dirname(final));
    },
    discard: () => {
      signals.forget();
      remove();
    },
  };
};

const assertFolder = (path: string): void => {
  const folder = dirname(path);
  if (!isFolder(folder)) {
    throw wrong(`${folder} is no folder.`, 'Make it first, or name another place.');
  }
};

/** Never takes the place of anything. */
export const newFile = (final: string): Unfinished => {
  if (existsSync(final)) throw isThere(final);
  assertFolder(final);
  return unfinished(final, (from) => giveNewName(from, final));
};

/** Takes the place of a file of that name, of nothing else: a rename over a device would remove the device. */
export const replacedFile = (named: string): Unfinished => {
  const stats = statSync(named, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw wrong(`${named} is there and is no file.`, 'Name another.');
  const final = stats === undefined ? named : realpathSync(named);
  assertFolder(final);
  return unfinished(final, (from) => renameSync(from, final));
};

/** Runs `work` on it and finishes it, or leaves nothing. */
export const finishing = async <T>(file: Unfinished, work: (path: string) => Promise<T>): Promise<T> => {
  try {
    const value = await work(file.path);
    file.finish();
    return value;
  } catch (thrown) {
    file.discard();
    throw explained(file.path, thrown);
  }
};
