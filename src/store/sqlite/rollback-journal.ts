// Refuses a rollback journal beside a database. SQLite plays a journal back when it opens the database, and if the journal names a
// "super-journal", it deletes the file of that name: whoever can put a journal there could have any file of the user's deleted. Our databases
// use a write-ahead log and have a rollback journal only while their first page is created.

import * as fs from 'node:fs';
import { ColibriError } from '../../errors.js';

/** The largest default page size of SQLite, in bytes: a database that is still being created is not larger. */
const FIRST_PAGE_BYTES = 4_096;

/** The last bytes of a journal that names a super-journal (sqlite.org/src: pager.c, aJournalMagic). */
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

const sizeOf = (path: string): number => fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Whether a rollback journal names a super-journal. Opens the journal, never the database: closing a journal drops no locks. */
const namesSuperJournal = (journal: string, size: number): boolean => {
  const descriptor = fs.openSync(journal, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    const end = Buffer.alloc(MAGIC.length);
    fs.readSync(descriptor, end, 0, end.length, Math.max(0, size - end.length));
    return end.equals(MAGIC);
  } finally {
    fs.closeSync(descriptor);
  }
};

const isHostile = (path: string, journal: string): boolean => {
  try {
    const size = sizeOf(journal);
    if (size === 0) return false;
    return sizeOf(path) > FIRST_PAGE_BYTES || namesSuperJournal(journal, size);
  } catch {
    return fs.existsSync(journal); // if the journal is gone, the process that created the database has just finished
  }
};

/** Throws if a rollback journal is beside the database. Must be called before a database is opened; `path` has its links resolved. */
export const assertNoJournal = (path: string): void => {
  const journal = `${path}-journal`;
  if (!isHostile(path, journal)) return;
  throw new ColibriError(
    'STORE_UNAVAILABLE',
    `${journal} is a rollback journal, which a store of Colibri does not have`,
    {
      remedy:
        'Somebody put the journal there, and playing it back could damage the store or other files. Move the journal away.',
      details: { path: journal },
    },
  );
};
