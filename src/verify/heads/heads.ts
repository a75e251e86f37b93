// Heads: signed notes that are known outside of the store. Read before the sizes of the logs are, because a head is
// written after its commit: whatever is found here must be in the store by then.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asError, systemCode } from '../../errors.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { Where } from '../verdict/finding.js';

export interface KnownNote {
  readonly note: string;
  /** How a person finds it. */
  readonly from: string;
  /** Of the file's name; a note that was handed in has none. */
  readonly named?: { readonly log: string; readonly size: number };
}

export interface ReadHeads {
  readonly notes: KnownNote[];
  /** What no head can be and bears the name of one. */
  readonly bad: { readonly where: Where; readonly message: string }[];
  /** Files of others that lie between the heads. */
  readonly strays: string[];
  /** Heads that may be there and could not be looked at. */
  readonly unread: string[];
}

export const noHeads = (): ReadHeads => ({ notes: [], bad: [], strays: [], unread: [] });

const SIZE = /^[1-9]\d{0,15}$/;
/** What a process is about to give its name to, and what file managers and editors leave behind. */
const IGNORED = /\.part$|^\./;

/** Undefined where it was never there, was thinned out while we looked, or cannot be read: only the last is told. */
const attempt = <T>(read: () => T, heads: ReadHeads, path: string): T | undefined => {
  try {
    return read();
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') heads.unread.push(`${path} cannot be read: ${asError(thrown).message}`);
    return undefined;
  }
};

/** Asked before it is opened: a pipe would keep the reader waiting, a device would never end. */
const shapeFault = (path: string): string | undefined => {
  const stats = statSync(path);
  if (!stats.isFile()) return 'is named like a head and is no file';
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

/** All heads of the logs that this store has: the folder may serve other stores too. */
export const headsOfFolder = (dir: string, logs: readonly string[]): ReadHeads => {
  const heads = noHeads();
  for (const log of logs) {
    const folder = join(dir, log);
    for (const name of attempt(() => readdirSync(folder), heads, folder) ?? []) {
      const path = join(folder, name);
      if (SIZE.test(name)) readHead(heads, path, { log, size: Number(name) });
      else if (!IGNORED.test(name)) heads.strays.push(path);
    }
  }
  return heads;
};
