// Puts a verified backup in the place of a store. The present files are copied aside before anything is changed, so that they are still there
// whenever this is interrupted; the backup then takes the store's name in one step.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ColibriError } from '../../errors.js';
import { removeUnfinished, syncPath } from '../../files/durable-file.js';
import { copyDatabase, stampOf } from '../../store/sqlite/chores.js';
import { livingInstances } from '../../store/sqlite/instances.js';
import { finishing } from '../unfinished-file.js';

/** The files of a SQLite database besides the database itself. SQLite would apply them to the file that takes its name. */
const BESIDE = ['-wal', '-shm', '-journal'];

/** Between the name of the store and the time, in the name of the folder with the files that were there before. */
const REPLACED = '.replaced-';

/** Refuses while a process has the store open: it would go on writing into the file that was moved aside. */
export const assertUnused = async (path: string): Promise<void> => {
  const living = await livingInstances(path);
  if (living.length === 0) return;
  throw new ColibriError('STORE_BUSY', `${living.length} Colibri process(es) use the store now.`, {
    remedy: 'End every client that started Colibri, then try again: `colibri status` names the processes.',
  });
};

/** Copies the present files of a store into a new folder beside it; undefined if there are none. */
const copyAside = (path: string): string | undefined => {
  const files = ['', ...BESIDE].map((end) => `${path}${end}`).filter((file) => fs.existsSync(file));
  if (files.length === 0) return undefined;
  const folder = `${path}${REPLACED}${stampOf(Date.now())}`;
  const unfinished = `${folder}.${process.pid}.part`;
  fs.mkdirSync(unfinished, { mode: 0o700 });
  try {
    for (const file of files) {
      const copy = join(unfinished, basename(file));
      fs.copyFileSync(file, copy, fs.constants.COPYFILE_FICLONE);
      syncPath(copy);
    }
    fs.renameSync(unfinished, folder);
  } catch (thrown) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    throw thrown;
  }
  syncPath(dirname(path));
  return folder;
};

/** Gives a backup the place of the store. Returns the folder with the files that were there before; undefined if there were none. */
export const putInPlace = async (path: string, backup: string): Promise<string | undefined> => {
  const name = basename(path);
  await removeUnfinished(dirname(path), (left) => left === name || left.startsWith(`${name}${REPLACED}`));
  let aside: string | undefined;
  const rename = (part: string): void => {
    aside = copyAside(path);
    for (const end of BESIDE) fs.rmSync(`${path}${end}`, { force: true });
    fs.renameSync(part, path);
  };
  // A copy of the backup takes the name, not the backup: whoever restores wants to keep it.
  await finishing({ final: path, rename }, (part) => copyDatabase(backup, part));
  return aside;
};
