// Reads and writes the file `<heads>/<log_id>/store`, which says to which store a log belongs. Without that file, if a store lacks a log that
// has heads, nobody could tell whether the log was taken out of this store or belongs to another store.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { writeWhole } from '../files/whole-file.js';
import { parsedObject } from '../proof/canonical-json.js';
import { LEDGER_LIMITS } from './limits.js';

/** The id of the store that a log belongs to, and where that store was when the log was signed last. */
export interface Home {
  readonly storeId: string;
  readonly path: string;
  /** The name of the machine on which the store had this path: several machines may share one folder of signed heads. */
  readonly host: string;
}

export interface KnownHome extends Home {
  readonly log: string;
}

/** The name of the file, in the folder of a log's heads, that says to which store the log belongs. */
export const HOME_FILE = 'store';

const LOG_ID = /^[0-9a-f]{32}$/;
const STORE_ID = /^[0-9a-f]{32}$/;

const homeIn = (text: string): Home | undefined => {
  const { store_id: storeId, path, host } = parsedObject(text) ?? {};
  if (typeof storeId !== 'string' || !STORE_ID.test(storeId)) return undefined;
  return typeof path === 'string' && typeof host === 'string' ? { storeId, path, host } : undefined;
};

/** The store of a log, read from the folder of its heads; undefined if the file is missing or invalid: the next signature writes it again. */
const readHome = (folder: string): Home | undefined => {
  const file = join(folder, HOME_FILE);
  try {
    // The kind of file is checked before it is opened, because opening a pipe would block.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > LEDGER_LIMITS.homeBytes) return undefined;
    return homeIn(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // gone, or not readable
  }
};

const foldersIn = (dir: string): readonly string[] => {
  try {
    return readdirSync(dir).filter((name) => LOG_ID.test(name));
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return [];
    throw new ColibriError('STORE_UNAVAILABLE', `the heads in ${dir} cannot be read: ${asError(thrown).message}`, {
      remedy: 'Make the folder readable for this user, or point COLIBRI_HEADS_DIR at one that is.',
      cause: thrown,
    });
  }
};

/** The logs with heads in a folder, each with its store; logs whose store is not written down are left out. */
export const homesIn = (dir: string): readonly KnownHome[] =>
  foldersIn(dir).flatMap((log) => {
    const home = readHome(join(dir, log));
    return home === undefined ? [] : [{ log, ...home }];
  });

/** Writes to which store a log belongs, into the folder of the log's heads, unless the file there says the same. */
export const writeHome = (folder: string, { storeId, path, host }: Home): void => {
  const known = readHome(folder);
  if (known?.storeId === storeId && known.path === path && known.host === host) return;
  const file = join(folder, HOME_FILE);
  const text = `${JSON.stringify({ store_id: storeId, path, host })}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeWhole(file, (fd) => writeFileSync(fd, text), { draft: `${file}.${process.pid}.part` });
};
