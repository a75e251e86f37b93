// The folder in which the processes of a store keep their intent journals: which files are journals, and how they are removed or kept.
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { LEDGER_LIMITS } from '../limits.js';
import { headerText, type JournalOwner } from './journal-format.js';

/** Where the journals of a store's processes are, and under which boot of the machine this process runs. */
export interface JournalPlace {
  readonly folder: string;
  readonly machineBoot: string | null;
}

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The ending of the name of a journal that is kept as evidence and not looked at again. */
const KEPT = '.kept';

const namesIn = (folder: string): string[] =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];

/** The paths of the journals in the folder; each has the id of its process as its name. */
export const journalsIn = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name));

/** The paths of the journals that were kept as evidence, because their intents could not be added to the ledger. */
export const keptJournals = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(KEPT) && NAME.test(name.slice(0, -KEPT.length)))
    .map((name) => join(folder, name));

/** Whether a process's journal is still to be recovered, so that the process must not be forgotten. */
export const hasJournal = ({ folder }: JournalPlace, instance: string): boolean =>
  NAME.test(instance) && existsSync(join(folder, instance));

/**
 * Overwrites a journal, which may hold arguments of calls, and removes it. The header stays until the end: if this process dies in between, the
 * file is still known as a journal.
 */
export const removeJournal = (path: string, owner: JournalOwner): void => {
  quietly(() => {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    const begin = headerText(owner).length;
    writeSync(descriptor, Buffer.alloc(LEDGER_LIMITS.journalBytes - begin), 0, null, begin);
    closeSync(descriptor);
  });
  rmSync(path, { force: true });
};

/** Gives a journal the name of those that are kept, and returns its path. Another process that recovers the same journal may have done it. */
export const keepJournal = (path: string): string => {
  if (existsSync(path)) renameSync(path, path + KEPT);
  return path + KEPT;
};
