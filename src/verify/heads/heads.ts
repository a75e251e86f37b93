// Reads heads, the signed notes outside the store. Heads are read before the sizes of the logs: a head is written after its records
// are committed, so every record that the head covers must be in the store by then.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asError, systemCode } from '../../errors.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { Where } from '../verdict/finding.js';

export interface KnownNote {
  readonly note: string;
  /** Where the signed note comes from, such as the path of its file; used in messages. */
  readonly from: string;
  /** The log and size that the path of a head's file names; undefined for a head that the user gave. */
  readonly named?: { readonly log: string; readonly size: number };
  /** True if a person brought the note. Nothing that a store says about itself excuses such a head. */
  readonly isGiven?: boolean;
}

export interface ReadHeads {
  readonly notes: KnownNote[];
  /** Findings about files that are named like a head but are not a regular file of allowed size. */
  readonly bad: { readonly where: Where; readonly message: string }[];
  /** Names of files in the heads folder whose names are not those of heads. */
  readonly strays: string[];
  /** Messages that say why some heads could not be read. */
  readonly unread: string[];
}

export const noHeads = (): ReadHeads => ({ notes: [], bad: [], strays: [], unread: [] });

const SIZE = /^[1-9]\d{0,15}$/;
/** Matches names that a person takes for a size: a head under such a name, such as 0135, would be overlooked. */
const NUMBER = /^\d+$/;
/** Matches the file that says to which store the heads belong, and names of unfinished and hidden files. */
const IGNORED = /^store$|\.part$|^\./;

/**
 * Runs `read`; returns undefined if the file is gone, since an old head may be removed meanwhile, or if it cannot be read. Only the
 * latter is reported.
 */
const attempt = <T>(read: () => T, heads: ReadHeads, path: string): T | undefined => {
  try {
    return read();
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') heads.unread.push(`${path} cannot be read: ${asError(thrown).message}`);
    return undefined;
  }
};

/** Says why a file cannot be a head, before it is opened: a pipe would block the reader, and a device may never end. */
const shapeFault = (path: string): string | undefined => {
  const stats = lstatSync(path); // a link may lead to another file tomorrow
  if (!stats.isFile()) return 'is named like a head but is not a file';
  return stats.size > VERIFY_LIMITS.headBytes ? 'is too large for a head' : undefined;
};

const readHead = (heads: ReadHeads, path: string, named: { log: string; size: number }): void => {
  const read = attempt(() => ({ fault: shapeFault(path) }), heads, path);
  if (read === undefined) return;
  if (read.fault !== undefined) {
    heads.bad.push({ where: { log: named.log }, message: `${path} ${read.fault}.` });
    return;
  }
  const note = attempt(() => readFileSync(path, 'utf8'), heads, path);
  if (note !== undefined) heads.notes.push({ note, from: path, named });
};

/** Reads all heads of the given logs; the folder may hold heads of other stores too. */
export const headsOfFolder = (dir: string, logs: readonly string[]): ReadHeads => {
  const heads = noHeads();
  for (const log of logs) {
    const folder = join(dir, log);
    for (const name of attempt(() => readdirSync(folder), heads, folder) ?? []) {
      const path = join(folder, name);
      if (SIZE.test(name)) readHead(heads, path, { log, size: Number(name) });
      else if (NUMBER.test(name)) heads.bad.push({ where: { log }, message: `${path} is not named like a size.` });
      else if (!IGNORED.test(name)) heads.strays.push(path);
    }
  }
  return heads;
};
