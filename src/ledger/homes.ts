// Reads and writes, beside the heads of a log, to which store the log belongs: the file `<heads>/<log_id>/store`. Without it nobody could
// tell whether a log that a store does not have was taken out of it or belongs to another store.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { writeWhole } from '../files/whole-file.js';
import { parsedObject } from '../proof/canonical-json.js';
import { LEDGER_LIMITS } from './limits.js';

/** The store that a log belongs to, and where it was when the log was signed last. */
export interface Home {
  readonly storeId: string;
  readonly path: string;
  /** The machine on which the path is valid: several machines may share one folder of heads. */
  readonly host: string;
}

export interface KnownHome extends Home {
  readonly log: string;
}

/** The name of the file in the folder of a log's heads. */
export const HOME_FILE = 'store';

const LOG_ID = /^[0-9a-f]{32}$/;
const STORE_ID = /^[0-9a-f]{32}$/;

const homeIn = (text: string): Home | undefined => {
  const { store_id: storeId, path, host } = parsedObject(text) ?? {};
  if (typeof storeId !== 'string' || !STORE_ID.test(storeId)) return undefined;
  return typeof path === 'string' && typeof host === 'string' ? { storeId, path, host } : undefined;
};

/** The home of a log; undefined if the log has none, or its file is not one: the next signature writes it again. */
const readHome = (folder: string): Home | undefined => {
  const file = join(folder, HOME_FILE);
  try {
    // Checked before opening: opening a pipe would block.
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

/** Every log with heads in a folder whose store is known. */
export const homesIn = (dir: string): readonly KnownHome[] =>
  foldersIn(dir).flatMap((log) => {
    const home = readHome(join(dir, log));
    return home === undefined ? [] : [{ log, ...home }];
  });

/** Writes the home of a log into the folder of its heads, unless it is written there already. */
export const writeHome = (folder: string, { storeId, path, host }: Home): void => {
  const known = readHome(folder);
  if (known?.storeId === storeId && known.path === path && known.host === host) return;
  const file = join(folder, HOME_FILE);
  const text = `${JSON.stringify({ store_id: storeId, path, host })}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeWhole(file, (fd) => writeFileSync(fd, text), { draft: `${file}.${process.pid}.part` });
};
