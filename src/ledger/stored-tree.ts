// Reads the Merkle tree of a log from the store, which keeps the leaves and all complete nodes of height 8 and more. A proof reads at most
// one row per level and 255 leaves, however long the log is.
import { ColibriError } from '../errors.js';
import type { Frontier } from '../proof/merkle.js';
import { consistencyRanges, inclusionRanges, type Range } from '../proof/merkle-proof.js';
import { multiproofRanges, type ShownLeaves } from '../proof/multiproof.js';
import type { ReadTx } from '../store/store.js';
import { grow, rootOf } from './tree.js';

/** The least height of the complete Merkle tree nodes that are stored. */
export const TILE_LEVEL = 8;

/** A log, and the id of the log's first record in the table of records. */
export interface TreePlace {
  readonly log: string;
  readonly base: number;
}

const missing = (log: string, what: string): ColibriError =>
  new ColibriError('STORE_CORRUPT', `log ${log} has no ${what}`, {
    remedy: 'colibri verify says what else is wrong. Restore a backup.',
  });

const tile = async (tx: ReadTx, log: string, level: number, index: number): Promise<string> => {
  const row = await tx.get<{ hash: string }>(
    'SELECT hash FROM tiles WHERE log_id = ? AND level = ? AND idx = ?',
    log,
    level,
    index,
  );
  if (row === undefined) throw missing(log, `node ${level}/${index}`);
  return row.hash;
};

const leavesOf = async (tx: ReadTx, { log, base }: TreePlace, { from, to }: Range): Promise<readonly string[]> => {
  const rows = await tx.all<{ leaf: string }>(
    'SELECT leaf FROM actions WHERE id >= ? AND id < ? ORDER BY id',
    base + from,
    base + to,
  );
  if (rows.length !== to - from) throw missing(log, `records ${from} to ${to - 1}`);
  return rows.map((row) => row.leaf);
};

/** The height of the largest complete subtree that begins at leaf `from` and ends at or before leaf `to`. */
const levelAt = (from: number, to: number): number => {
  let level = 0;
  while (from % 2 ** (level + 1) === 0 && from + 2 ** (level + 1) <= to) level += 1;
  return level;
};

const frontierOver = async (tx: ReadTx, place: TreePlace, { from, to }: Range): Promise<Frontier> => {
  const nodes: string[] = [];
  let at = from;
  for (let level = levelAt(at, to); level >= TILE_LEVEL; level = levelAt(at, to)) {
    nodes.push(await tile(tx, place.log, level, at / 2 ** level));
    at += 2 ** level;
  }
  let rest: Frontier = [];
  const leaves = at < to ? await leavesOf(tx, place, { from: at, to }) : [];
  for (const [i, leaf] of leaves.entries()) rest = grow(rest, i, leaf).frontier;
  return [...nodes, ...rest];
};

/** The RFC 6962 §2.1 hash over a range of leaves. */
const rangeHash = async (tx: ReadTx, place: TreePlace, range: Range): Promise<string> =>
  rootOf(await frontierOver(tx, place, range));

/** The Merkle root of the log when it had `size` records. */
export const rootAt = (tx: ReadTx, place: TreePlace, size: number): Promise<string> =>
  rangeHash(tx, place, { from: 0, to: size });

const hashesOf = async (tx: ReadTx, place: TreePlace, ranges: readonly Range[]): Promise<readonly string[]> => {
  const hashes: string[] = [];
  for (const range of ranges) hashes.push(await rangeHash(tx, place, range));
  return hashes;
};

/** The Merkle path from the record at `index` to the root of the first `size` records. */
export const inclusionPath = (tx: ReadTx, place: TreePlace, index: number, size: number): Promise<readonly string[]> =>
  hashesOf(tx, place, inclusionRanges(index, size));

/** The Merkle proof that the log's first `first` records are the beginning of its first `second` records. */
export const consistencyPath = (
  tx: ReadTx,
  place: TreePlace,
  first: number,
  second: number,
): Promise<readonly string[]> => hashesOf(tx, place, consistencyRanges(first, second));

/** The hashes that together with the shown records of a log give the root of its first `size` records. */
export const multiproofNodes = (tx: ReadTx, place: TreePlace, shown: ShownLeaves): Promise<readonly string[]> =>
  hashesOf(tx, place, multiproofRanges(shown));
