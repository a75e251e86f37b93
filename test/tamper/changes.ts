// Draws one change to a store at random. A change that leaves what the store says as it was counts as none, and another
// is drawn.
import { copyFileSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Random, randomFrom } from '../support/random.js';
import { type Look, lookAt } from './dump.js';
import { changeBytes, type FileChange, olderCopy, type Scene } from './file-changes.js';
import { cutEnd, retell } from './forgeries.js';
import {
  deleteRows,
  editBytes,
  editValue,
  insertRow,
  putRowBack,
  putTablesBack,
  type RowChange,
  swapValues,
} from './row-changes.js';
import { changeSchema, rewriteSchema } from './schema-changes.js';

/** In one transaction; what a constraint of the schema refuses is not done at all. */
const bySql =
  (change: RowChange): FileChange =>
  ({ path, older }, random) => {
    const db = new Database(path);
    try {
      db.pragma('foreign_keys = OFF');
      db.pragma('synchronous = OFF'); // nobody cuts the power here
      return db.transaction(() => change(db, random, older))();
    } catch (thrown) {
      if (thrown instanceof Database.SqliteError) return undefined;
      throw thrown;
    } finally {
      db.close();
    }
  };

/** How often each is drawn, of 100. */
const CHANGES: readonly (readonly [weight: number, kind: string, change: FileChange])[] = [
  [34, 'edited', bySql(editValue)],
  [2, 'edited bytes', bySql(editBytes)],
  [9, 'deleted', bySql(deleteRows)],
  [9, 'inserted', bySql(insertRow)],
  [8, 'swapped', bySql(swapValues)],
  [7, 'put back', bySql(putRowBack)],
  [3, 'tables put back', bySql(putTablesBack)],
  [8, 'schema', bySql(changeSchema)],
  [2, 'schema text', bySql(rewriteSchema)],
  [10, 'bytes', changeBytes],
  [4, 'cut', cutEnd],
  [2, 'retold', retell],
  [2, 'older copy', olderCopy],
];

const drawn = CHANGES.flatMap(([weight, kind, change]) => Array.from({ length: weight }, () => ({ kind, change })));

export interface Changed {
  readonly kind: string;
  readonly what: string;
  /** It cannot be read through, the engine itself complains, or it claims to be of a newer version: not for us to judge. */
  readonly mayBeUnreadable: boolean;
}

export interface Original extends Scene {
  readonly from: string;
  readonly look: Look;
}

const TRIES = 200;

const freshCopy = (from: string, path: string): void => {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
  copyFileSync(from, path);
};

const tryOnce = (original: Original, random: Random): Changed | undefined => {
  freshCopy(original.from, original.path);
  const { kind, change } = random.pick(drawn);
  const what = change(original, random);
  if (what === undefined) return undefined;
  const look = lookAt(original.path);
  const { look: before } = original;
  if (look.dump === before.dump && look.integrity === before.integrity) return undefined;
  const isDamaged = look.dump === undefined || look.integrity !== before.integrity;
  return { kind, what, mayBeUnreadable: isDamaged || look.isNewer };
};

/** Leaves a changed copy of the store in `original.path`. The same seed on the same store makes the same change. */
export const changeAtRandom = (original: Original, seed: number): Changed => {
  const random = randomFrom(seed);
  for (let i = 0; i < TRIES; i++) {
    const changed = tryOnce(original, random);
    if (changed !== undefined) return changed;
  }
  throw new Error(`seed ${seed}: no change in ${TRIES} tries`);
};
