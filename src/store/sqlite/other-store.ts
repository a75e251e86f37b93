// Looks at the files around a store: its backups, and other files with the same store id. Such a file shows that the store was copied and
// not moved.
import { STORE_LIMITS } from '../limits.js';
import { backupsBeside } from './beside.js';
import { assertPlainFiles, isSameFile, realPath } from './identity.js';
import { holdTidy } from './look.js';
import { openDatabase } from './tx.js';

const readStoreId = (path: string): string | undefined => {
  const tidy = holdTidy(path);
  const db = openDatabase(path, { readonly: true, fileMustExist: true });
  try {
    db.pragma(`busy_timeout = ${STORE_LIMITS.otherStoreMs}`);
    const id = db.prepare<[], unknown>('SELECT store_id FROM identity').pluck().get();
    return typeof id === 'string' ? id : undefined;
  } finally {
    db.close();
    tidy();
  }
};

/**
 * The id of the store in the file at `path`. Undefined if there is no file, if it is the file at `own` under another name, or if it cannot
 * be read as a store with an id.
 */
const otherStoreId = (path: string, own: string): string | undefined => {
  try {
    const real = realPath(path);
    if (isSameFile(real, own)) return undefined;
    assertPlainFiles(real);
    return readStoreId(real);
  } catch {
    return undefined;
  }
};

/** The real path of a store's file, and functions that read the id of a store in another file and list the backups beside the store. */
export const surroundingsOf = (path: string) => ({
  path: realPath(path),
  storeIdAt: (other: string): string | undefined => otherStoreId(other, path),
  backups: (): readonly string[] => backupsBeside(path),
});
