// Saves the contents of an open database whose file was taken away to another file. Only this process's connection still reaches the rows,
// so it makes the copy, on this thread.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { realPath } from './identity.js';

/** The folder for the copy: that of the database, created again if it is gone, or a temporary folder if something else has its name. */
const folderFor = (path: string): string => {
  const folder = dirname(path);
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isSame = realPath(folder) === folder && fs.statSync(folder).isDirectory();
  return isSame ? folder : fs.mkdtempSync(join(tmpdir(), 'colibri-rescued-'));
};

/** Copies the open database to a new file and returns the file's path. Never overwrites a file. */
export const writeAside = (db: Database.Database, path: string, stamp: string): string => {
  const to = join(folderFor(path), `${basename(path)}.rescued-${stamp}`);
  // VACUUM INTO accepts an empty file, and the one created here is readable by its owner alone.
  fs.closeSync(fs.openSync(to, 'wx', 0o600));
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } catch (thrown) {
    fs.rmSync(to, { force: true });
    throw thrown;
  }
  return to;
};
