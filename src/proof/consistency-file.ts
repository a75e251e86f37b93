// Writes and parses consistency files, which show that a newer checkpoint continues an older one. The form is the body of a C2SP
// tlog-witness add-checkpoint request, so that a witness accepts the file unchanged. Pure and strict.
import { fromHashLines, toHashLine } from './base64.js';
import { fromDecimal } from './checkpoint.js';

/** The most hashes in a consistency file (tlog-witness, "add-checkpoint": a client must not send more). */
const MOST_HASHES = 63;

export interface ConsistencyFile {
  /** How many records the older checkpoint covers. */
  readonly old: number;
  /** The hashes of the consistency proof, 64 hex digits each. */
  readonly path: readonly string[];
  /** The text of the newer checkpoint's signed note, unchanged. */
  readonly checkpoint: string;
}

export const writeConsistency = ({ old, path, checkpoint }: ConsistencyFile): string =>
  [`old ${old}`, ...path.map(toHashLine), '', checkpoint].join('\n');

/** The parts of a consistency file; undefined if the text does not have exactly the form of one. */
export const readConsistency = (text: string): ConsistencyFile | undefined => {
  const at = text.indexOf('\n\n');
  const [oldLine, ...hashLines] = text.slice(0, Math.max(at, 0)).split('\n');
  const old = oldLine?.startsWith('old ') ? fromDecimal(oldLine.slice('old '.length)) : undefined;
  const path = fromHashLines(hashLines, MOST_HASHES);
  return old === undefined || path === undefined ? undefined : { old, path, checkpoint: text.slice(at + 2) };
};
