// Consistency files: what shows that a newer checkpoint continues an older one. The form is the body of a C2SP
// tlog-witness add-checkpoint request, so that a witness takes it as it is. Pure, strict.
import { fromHashLines, toHashLine } from './base64.js';
import { type Checkpoint, fromDecimal, type OpenOptions, openCheckpoint, type Verifier } from './checkpoint.js';
import { rootOf } from './merkle.js';
import { isConsistent } from './merkle-proof.js';

/** tlog-witness, "add-checkpoint": more are not to be sent. */
const MOST_HASHES = 63;

export interface ConsistencyFile {
  /** Size of the older checkpoint. */
  readonly old: number;
  /** 64 hex digits each. */
  readonly path: readonly string[];
  /** The newer signed note, as it stands. */
  readonly checkpoint: string;
}

export const writeConsistency = ({ old, path, checkpoint }: ConsistencyFile): string =>
  [`old ${old}`, ...path.map(toHashLine), '', checkpoint].join('\n');

/** The parts of a consistency file, or nothing where it is not exactly of this form. */
export const readConsistency = (text: string): ConsistencyFile | undefined => {
  const at = text.indexOf('\n\n');
  const [oldLine, ...hashLines] = text.slice(0, Math.max(at, 0)).split('\n');
  const old = oldLine?.startsWith('old ') ? fromDecimal(oldLine.slice('old '.length)) : undefined;
  const path = fromHashLines(hashLines, MOST_HASHES);
  return old === undefined || path === undefined ? undefined : { old, path, checkpoint: text.slice(at + 2) };
};

/** RFC 6962 §2.1: a tree without leaves has one root; a signature over another would begin everything. */
const isEmptyWithRoot = ({ size, root }: Checkpoint): boolean => size === 0 && root !== rootOf([]);

const fault = (file: ConsistencyFile, older: Checkpoint, newer: Checkpoint): string | undefined => {
  if (file.old !== older.size) return 'the file begins at another size than the older checkpoint';
  if (older.size > newer.size) return 'the newer checkpoint is of a smaller tree';
  if (isEmptyWithRoot(older) || isEmptyWithRoot(newer)) return 'a tree without records has another root';
  const { path } = file;
  const [first, second] = [older.size, newer.size];
  const claim = { first, firstRoot: older.root, second, secondRoot: newer.root, path };
  // The empty tree begins every other, so there is nothing to prove and nothing may be sent.
  const holds = first === 0 ? path.length === 0 : isConsistent(claim);
  return holds ? undefined : 'the newer checkpoint does not continue the older one';
};

export type ConsistencyVerdict =
  | { readonly holds: true; readonly older: Checkpoint; readonly newer: Checkpoint }
  | { readonly holds: false; readonly why: string };

export interface ConsistencyCheck extends OpenOptions {
  /** The signed note that is trusted: whoever checks has kept it. */
  readonly older: string;
  readonly verifier: Verifier;
}

/** Whether the checkpoint in a consistency file continues one that the checker has kept. */
export const checkConsistency = (
  text: string,
  { older, verifier, ...options }: ConsistencyCheck,
): ConsistencyVerdict => {
  const file = readConsistency(text);
  if (file === undefined) return { holds: false, why: 'malformed' };
  const before = openCheckpoint(older, verifier, options);
  if ('refused' in before) return { holds: false, why: `older checkpoint: ${before.refused}` };
  const after = openCheckpoint(file.checkpoint, verifier, options);
  if ('refused' in after) return { holds: false, why: `newer checkpoint: ${after.refused}` };
  const why = fault(file, before.checkpoint, after.checkpoint);
  return why === undefined ? { holds: true, older: before.checkpoint, newer: after.checkpoint } : { holds: false, why };
};
