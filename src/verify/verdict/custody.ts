// Describes the custody: whether the current user can reach the signing keys and the signed heads, and so could rewrite the store.
// Paths come last in their sentences, so that a long path does not push punctuation onto a line of its own.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { keyRing } from '../../ledger/keys.js';
import type { Custody } from './verdict.js';

export interface KeyPlace {
  readonly dir: string;
  readonly file?: string;
}

/** The custody part of a verdict for which keys and heads were not looked for. */
export const NO_CUSTODY: Custody = { key: 'not looked for', heads: 'not looked for' };

const keyStanding = (place: KeyPlace, log: string): string | undefined => {
  const path = place.file ?? join(place.dir, log);
  try {
    const isHere = keyRing(place).find(log) !== undefined;
    return isHere ? `readable by the user this runs as: ${path}` : undefined;
  } catch {
    return `on this machine, not readable by the user this runs as: ${path}`;
  }
};

const keyLine = (place: KeyPlace | undefined, logs: readonly string[]): string => {
  if (place === undefined) return NO_CUSTODY.key;
  const found = logs.map((log) => keyStanding(place, log)).filter((it) => it !== undefined);
  const more = found.length > 1 ? ` and ${found.length - 1} more` : '';
  return found[0] === undefined ? 'not on this machine' : `${found[0]}${more}`;
};

/** Whether two files are on the same disk, where both are lost or rolled back together. Uses stat, which opens no file. */
export const areOnOneDisk = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false })?.dev);
  return first === second;
};

const headsLine = (path: string, url: string | undefined, headsDir: string): string => {
  if (url !== undefined) return `on this machine, the store on a database server: ${headsDir}`;
  return `${areOnOneDisk(path, headsDir) ? 'same' : 'another'} disk: ${headsDir}`;
};

export interface CustodyQuestion {
  readonly path: string;
  /** The address of a store that a server keeps; its disk is not one that this process can compare. */
  readonly url?: string | undefined;
  readonly keys: KeyPlace | undefined;
  readonly logs: readonly string[];
  /** The folder of signed heads; undefined if no such folder was read. */
  readonly headsDir: string | undefined;
  /** How many heads were found in the folder; `given` is how many the user gave. */
  readonly found: number;
  readonly given: number;
}

export const custodyOf = ({ path, url, keys, logs, headsDir, found, given }: CustodyQuestion): Custody => {
  const beside = found > 0 && headsDir !== undefined ? [headsLine(path, url, headsDir)] : [];
  const heads = [...(given > 0 ? ['given'] : []), ...beside];
  const none = headsDir === undefined ? NO_CUSTODY.heads : 'none';
  return { key: keyLine(keys, logs), heads: heads.join(', ') || none };
};
