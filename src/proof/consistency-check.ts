// Checks whether a consistency file, which shows that a newer checkpoint continues an older one, is valid. Both signatures were checked
// before.
import type { Checkpoint } from './checkpoint.js';
import type { ConsistencyFile } from './consistency-file.js';
import { EMPTY_ROOT } from './merkle.js';
import type { ProofChecks } from './merkle-proof.js';
import type { OpenedCheckpoint } from './note.js';
import { type NotHeld, notHeld } from './proof-check.js';

interface Ends {
  readonly older: Checkpoint;
  readonly newer: Checkpoint;
}

/** Whether a checkpoint of size 0 has another root than that of the empty tree (RFC 6962 §2.1). Such a checkpoint would count as a beginning of every log. */
const isEmptyWithRoot = ({ size, root }: Checkpoint): boolean => size === 0 && root !== EMPTY_ROOT;

const fault = (
  file: ConsistencyFile,
  { older, newer }: Ends,
  { isConsistent }: Pick<ProofChecks, 'isConsistent'>,
): string | undefined => {
  if (file.old !== older.size) return 'the file begins at another size than the older checkpoint';
  if (older.size > newer.size) return 'the newer checkpoint is of a smaller tree';
  if (isEmptyWithRoot(older) || isEmptyWithRoot(newer)) return 'an empty tree has the wrong root';
  const { path } = file;
  const [first, second] = [older.size, newer.size];
  const claim = { first, firstRoot: older.root, second, secondRoot: newer.root, path };
  // The empty tree is a beginning of every tree, so there is nothing to prove and the path must be empty.
  const holds = first === 0 ? path.length === 0 : isConsistent(claim);
  return holds ? undefined : 'the newer checkpoint does not continue the older one';
};

export type ConsistencyVerdict =
  | { readonly holds: true; readonly older: Checkpoint; readonly newer: Checkpoint }
  | NotHeld;

/** The two opened notes: the older one, which the checker has kept, and the newer one in the file. */
export interface OpenedEnds {
  readonly older: OpenedCheckpoint;
  readonly newer: OpenedCheckpoint;
}

/** Whether the checkpoint in a consistency file continues the older checkpoint that the checker has kept. */
export const consistencyVerdict = (
  file: ConsistencyFile,
  { older, newer }: OpenedEnds,
  checks: Pick<ProofChecks, 'isConsistent'>,
): ConsistencyVerdict => {
  if ('refused' in older) return notHeld(`older checkpoint: ${older.refused}`);
  if ('refused' in newer) return notHeld(`newer checkpoint: ${newer.refused}`);
  const ends = { older: older.checkpoint, newer: newer.checkpoint };
  const why = fault(file, ends, checks);
  return why === undefined ? { holds: true, ...ends } : notHeld(why);
};
