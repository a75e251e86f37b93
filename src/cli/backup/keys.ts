// Copies the signing keys and signed heads of a store into a folder beside its backup, with the layout of the state directory.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeOnce } from '../../files/durable-file.js';
import type { KnownNote } from '../../verify/heads/heads.js';
import type { StoreAt } from '../place.js';
import { wrong } from '../target.js';

const keyFolderOf = (backup: string): string => `${backup}.keys`;

export const assertNoKeyFolder = (backup: string): void => {
  const folder = keyFolderOf(backup);
  if (existsSync(folder)) throw wrong(`${folder} is already there and was not changed.`, 'Name another file.');
};

const privateFolder = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
};

const copyKeys = ({ keys, keyFile, keysDir }: StoreAt, logs: readonly string[], folder: string): string[] => {
  const there = logs.filter((log) => keys.find(log) !== undefined);
  for (const log of there) writeOnce(join(folder, log), readFileSync(keyFile ?? join(keysDir, log), 'utf8'));
  return there;
};

/** Copies only the heads that the backup was verified against: against newer heads the backup would look rolled back. */
const copyHeads = (heads: readonly KnownNote[], folder: string): void => {
  for (const { note, named } of heads) {
    if (named !== undefined) writeOnce(join(privateFolder(join(folder, named.log)), String(named.size)), note);
  }
};

/** Makes the folder of keys and heads, readable by this user only; if anything fails, no folder is left. Returns the logs whose keys it has. */
export const copyKeysFor = (at: StoreAt, logs: readonly string[], heads: readonly KnownNote[], backup: string) => {
  const folder = keyFolderOf(backup);
  const unfinished = `${folder}.${process.pid}.part`;
  try {
    const found = copyKeys(at, logs, privateFolder(join(privateFolder(unfinished), 'keys')));
    copyHeads(heads, privateFolder(join(unfinished, 'heads')));
    renameSync(unfinished, folder);
    return { folder, logs: found };
  } catch (thrown) {
    rmSync(unfinished, { recursive: true, force: true });
    throw thrown;
  }
};
