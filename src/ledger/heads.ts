// Keeps heads, which are copies of signed checkpoints (a log's size and Merkle root), outside the store, one file each. Heads show what a
// log once was even if the store was replaced by an older one, so the folder may be on another disk or in a repository (COLIBRI_HEADS_DIR).
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { removeUnfinished, writeOnceLater } from '../files/durable-file.js';
import { originOf } from '../proof/checkpoint.js';
import type { Verifier } from '../proof/verifier.js';
import type { ReadTx } from '../store/store.js';
import { type Head, readHead, rolledBack } from './head.js';
import { HOME_FILE, type Home, homesIn, type KnownHome, writeHome } from './homes.js';
import { LEDGER_LIMITS } from './limits.js';
import { openCheckpoint, type ReadRoot } from './notes.js';
import { rootAt } from './stored-tree.js';
import { verifierOf } from './tree.js';

export interface KnownHead {
  readonly size: number;
  readonly note: string;
}

export interface Heads {
  /** The largest head of a log among those whose signed note `isOurs` accepts; undefined if there is none. */
  newest(log: string, isOurs: (note: string) => boolean): KnownHead | undefined;
  /** The number of records that a log's largest head covers, whoever signed that head; 0 without a head. */
  largest(log: string): number;
  /** Writes a head to a new file; the promise resolves when it is on disk. Never overwrites a file. */
  add(log: string, head: KnownHead): Promise<void>;
  /** The logs that have heads in this folder, each with the id and path of its store; logs whose store is not written down are left out. */
  homes(): readonly KnownHome[];
  /** Writes a file beside the heads of a log which says to which store the log belongs. */
  bind(log: string, home: Home): void;
  /** Removes old heads of a log, and unfinished files of killed processes. Called after new heads were added. */
  thin(log: string): Promise<void>;
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
const thin = async (folder: string): Promise<void> => {
  const old = sizesIn(folder).slice(LEDGER_LIMITS.headsKept - 1);
  let kept: string | undefined;
  for (const [i, size] of old.entries()) {
    const path = join(folder, String(size));
    const day = dayOf(path);
    if (day === undefined) continue;
    if (i > 0 && day === kept) await rm(path, { force: true });
    else kept = day;
  }
  await removeUnfinished(folder, (name) => SIZE.test(name) || name === HOME_FILE);
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
  add: async (log, { size, note }) => {
    const folder = join(dir, log);
    const path = join(folder, String(size));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeOnceLater(path, note);
    } catch (thrown) {
      const isThere = systemCode(thrown) === 'EEXIST' && fileAt(path) !== undefined; // another process has written this head first
      if (!isThere) throw thrown;
    }
  },
  homes: () => homesIn(dir),
  bind: (log, home) => writeHome(join(dir, log), home),
  thin: (log) => thin(join(dir, log)),
});

// Compares a log in the store with its newest head, which shows what the log once was.

export interface SignedHead extends KnownHead {
  readonly root: string;
}

/** The public key of a log in hex, as the store has it; empty if the store has no such log. */
export const publicKeyIn = async (tx: Pick<ReadTx, 'get'>, log: string): Promise<string> =>
  (await tx.get<{ public_key: string }>('SELECT public_key FROM logs WHERE log_id = ?', log))?.public_key ?? '';

const verifierWith = (log: string, publicKey: string): Verifier =>
  verifierOf(originOf(log), Buffer.from(publicKey, 'hex'));

export const verifierFor = async (tx: Pick<ReadTx, 'get'>, log: string): Promise<Verifier> =>
  verifierWith(log, await publicKeyIn(tx, log));

/** Returns a function that reads the roots of a log's notes and checks the signature of each note. */
export const rootReader =
  (log: string): ReadRoot =>
  ({ note, publicKey }) => {
    const opened = openCheckpoint(note, verifierWith(log, publicKey), { allowCosignatures: true });
    return 'checkpoint' in opened ? opened.checkpoint.root : undefined;
  };

/** What a transaction sees of a log. */
export interface SeenLog {
  readonly log: string;
  readonly publicKey: string;
  readonly head: Head;
  /** The Merkle root of the first `size` records, from stored nodes. Each root is computed once. */
  rootAt(size: number): Promise<string>;
}

export const seeLog = async (tx: ReadTx, log: string): Promise<SeenLog> => {
  const head = await readHead(tx, log);
  const roots = new Map<number, string>();
  return {
    log,
    head,
    publicKey: await publicKeyIn(tx, log),
    rootAt: async (size) => {
      const root = roots.get(size) ?? (await rootAt(tx, { log, base: head.base }, size));
      roots.set(size, root);
      return root;
    },
  };
};

/** The newest head of a log that its key signed; undefined if there is none. */
export const newestSigned = (
  heads: Heads,
  { log, publicKey }: Pick<SeenLog, 'log' | 'publicKey'>,
  rootIn: ReadRoot = rootReader(log),
): SignedHead | undefined => {
  let root: string | undefined;
  const known = heads.newest(log, (note) => {
    root = rootIn({ note, publicKey });
    return root !== undefined;
  });
  return known !== undefined && root !== undefined ? { ...known, root } : undefined;
};

/** How many records of a log are covered by the newest head that the log's key signed. */
export const signedSize = async (tx: ReadTx, heads: Heads, log: string): Promise<number> =>
  newestSigned(heads, { log, publicKey: await publicKeyIn(tx, log) })?.size ?? 0;

const continues = async (seen: SeenLog, known: SignedHead): Promise<boolean> =>
  seen.head.size >= known.size && (await seen.rootAt(known.size)) === known.root;

/** The newest head signed by the log's key, if the log in the store does not continue that head; otherwise undefined. */
export const lostHead = async (tx: ReadTx, heads: Heads, log: string): Promise<SignedHead | undefined> => {
  const known = newestSigned(heads, { log, publicKey: await publicKeyIn(tx, log) });
  return known === undefined || (await continues(await seeLog(tx, log), known)) ? undefined : known;
};

/** Throws if the log does not begin with the records that a signed head covers: then nothing may be appended or signed. */
export const assertContinues = async (seen: SeenLog, known: SignedHead | undefined): Promise<void> => {
  if (known === undefined || (await continues(seen, known))) return;
  throw rolledBack(seen.log, seen.head.size, { size: known.size, what: 'signed records' });
};

/** Throws if the log does not begin with the records that its newest signed head covers: then nothing may be appended or signed. */
export const assertNotRolledBack = async (tx: ReadTx, heads: Heads, log: string): Promise<void> => {
  const known = newestSigned(heads, { log, publicKey: await publicKeyIn(tx, log) });
  if (known !== undefined) await assertContinues(await seeLog(tx, log), known);
};
