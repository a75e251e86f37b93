// Keeps heads, which are copies of signed checkpoints (a log's size and Merkle root), outside the store, one file each. Heads show what a
// log once was even if the store was replaced by an older one, so the folder may be on another disk or in a repository (COLIBRI_HEADS_DIR).
import { mkdirSync, readdirSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { removeUnfinished, writeOnce } from '../files/durable-file.js';
import { HOME_FILE, type Home, homesIn, type KnownHome, writeHome } from './homes.js';
import { LEDGER_LIMITS } from './limits.js';

export interface KnownHead {
  readonly size: number;
  readonly note: string;
}

export interface Heads {
  /** The largest head of a log among those whose signed note `isOurs` accepts; undefined if there is none. */
  newest(log: string, isOurs: (note: string) => boolean): KnownHead | undefined;
  /** The number of records that a log's largest head covers, whoever signed that head; 0 without a head. */
  largest(log: string): number;
  /** Writes a head to a new file. Never overwrites a file. */
  add(log: string, head: KnownHead): void;
  /** The logs that have heads in this folder, each with the id and path of its store; logs whose store is not written down are left out. */
  homes(): readonly KnownHome[];
  /** Writes a file beside the heads of a log which says to which store the log belongs. */
  bind(log: string, home: Home): void;
  /** Removes old heads of a log, and unfinished files of killed processes. Called after new heads were added. */
  thin(log: string): void;
}

const SIZE = /^[1-9]\d{0,15}$/;
const DAY_CHARS = 'YYYY-MM-DD'.length;

/** The log sizes that serve as file names of heads in a folder, largest first. */
const sizesIn = (folder: string): readonly number[] => {
  try {
    return readdirSync(folder)
      .filter((name) => SIZE.test(name))
      .map(Number)
      .sort((a, b) => b - a);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return [];
    // An unreadable folder is not an empty one: nothing may be signed while heads cannot be read.
    throw new ColibriError('STORE_UNAVAILABLE', `the heads in ${folder} cannot be read: ${asError(thrown).message}`, {
      remedy: 'Make the folder readable for this user, or point COLIBRI_HEADS_DIR at one that is.',
      cause: thrown,
    });
  }
};

/** The stats of a head's file; undefined unless it is a regular file. Checked before opening, because a pipe of that name would block. */
const fileAt = (path: string): Stats | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats : undefined;
};

/** The day on which a head was written; undefined if another process has removed the file or it is not a head. */
const dayOf = (path: string): string | undefined => fileAt(path)?.mtime.toISOString().slice(0, DAY_CHARS);

/** Removes all heads but the newest and the last of each day, which are enough to show when a record still existed. */
const thin = (folder: string): void => {
  const old = sizesIn(folder).slice(LEDGER_LIMITS.headsKept - 1);
  let kept: string | undefined;
  for (const [i, size] of old.entries()) {
    const path = join(folder, String(size));
    const day = dayOf(path);
    if (day === undefined) continue;
    if (i > 0 && day === kept) rmSync(path, { force: true });
    else kept = day;
  }
  removeUnfinished(folder, (name) => SIZE.test(name) || name === HOME_FILE);
};

export const headsIn = (dir: string): Heads => ({
  newest: (log, isOurs) => {
    const folder = join(dir, log);
    for (const size of sizesIn(folder)) {
      const path = join(folder, String(size));
      if (fileAt(path) === undefined) continue;
      const note = readFileSync(path, 'utf8');
      if (isOurs(note)) return { size, note };
    }
    return undefined;
  },
  largest: (log) => sizesIn(join(dir, log)).find((size) => fileAt(join(dir, log, String(size))) !== undefined) ?? 0,
  add: (log, { size, note }) => {
    const folder = join(dir, log);
    const path = join(folder, String(size));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      writeOnce(path, note);
    } catch (thrown) {
      const isThere = systemCode(thrown) === 'EEXIST' && fileAt(path) !== undefined; // another process has written this head first
      if (!isThere) throw thrown;
    }
  },
  homes: () => homesIn(dir),
  bind: (log, home) => writeHome(join(dir, log), home),
  thin: (log) => thin(join(dir, log)),
});
