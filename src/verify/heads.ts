// Heads: signed notes that are known outside of the store. Read before the sizes of the logs are, because a head is
// written after its commit: whatever is found here must be in the store by then.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Where } from './finding.js';

export interface KnownNote {
  readonly note: string;
  /** How a person finds it. */
  readonly from: string;
  /** Of the file's name; a note that was handed in has none. */
  readonly named?: { readonly log: string; readonly size: number };
}

export interface ReadHeads {
  readonly notes: readonly KnownNote[];
  readonly bad: readonly { readonly where: Where; readonly message: string }[];
}

const SIZE = /^[1-9]\d{0,15}$/;
/** What a process is about to give its name to. */
const UNFINISHED = /\.part$/;

const isGone = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const orGone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (thrown) {
    if (isGone(thrown)) return undefined; // never there, or thinned out while we looked
    throw thrown;
  }
};

/** All heads of the logs that this store has: the folder may serve other stores too. */
export const headsIn = (dir: string, logs: readonly string[]): ReadHeads => {
  const notes: KnownNote[] = [];
  const bad: { where: Where; message: string }[] = [];
  for (const log of logs) {
    const folder = join(dir, log);
    for (const name of orGone(() => readdirSync(folder)) ?? []) {
      if (UNFINISHED.test(name)) continue;
      const path = join(folder, name);
      if (!SIZE.test(name)) bad.push({ where: { log }, message: `${path} is not named after a size.` });
      const note = SIZE.test(name) ? orGone(() => readFileSync(path, 'utf8')) : undefined;
      if (note !== undefined) notes.push({ note, from: path, named: { log, size: Number(name) } });
    }
  }
  return { notes, bad };
};
