// Checks one record by itself: its columns must repeat values of the body, the body must be canonical JSON with the members of its kind,
// and the leaf must be the hash of the body.

import { leafHash } from '../../ledger/hashes.js';
import { isDeeperThan, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { VERIFY_LIMITS } from '../limits.js';
import { isCanonical } from './canonical.js';
import { readingFault } from './kinds.js';

/** The columns id, log_id, seq, sequence_no, kind, tool, at, body, leaf of a record: values of any type, as stored in the file. */
export type ActionRow = readonly unknown[];

/** The place that a record must name: its log and its number there. */
export interface RecordSpot {
  readonly log: string;
  readonly seq: number;
}

export interface CheckedRecord {
  /** The hash of the body, computed and never taken from the row, so that the tree covers what the records say. */
  readonly leaf: string;
  readonly body: JsonObject | undefined;
  readonly fault: string | undefined;
}

/** The placeholder for the leaf of a missing record; no record has this hash. */
export const NO_LEAF = '0'.repeat(64);

export const NOT_WELL_FORMED = 'The stored text is not valid UTF-8.';

/** Whether a stored text is not UTF-8. Wrong bytes are read as U+FFFD, so only texts with U+FFFD are compared with their bytes. */
export const isTorn = (text: unknown, readBytes: () => unknown): boolean => {
  if (typeof text !== 'string' || !text.includes('\ufffd')) return false;
  const bytes = readBytes();
  return !(Buffer.isBuffer(bytes) && bytes.equals(Buffer.from(text)));
};

const orNull = (value: unknown): unknown => (value === undefined ? null : value);

const bodyFault = (text: string, body: JsonObject, { log, seq }: RecordSpot): string | undefined => {
  if (body.v !== 1) return 'The body has another version than 1.';
  if (body.log !== log || body.seq !== seq) return 'The body names another place than the record has in its log.';
  if (typeof body.kind !== 'string' || typeof body.at !== 'string') return 'The body has no kind or no time.';
  // UTF-8 takes at most three bytes for each UTF-16 unit.
  const mayBeLong = text.length * 3 > PROOF_LIMITS.recordBytes;
  return mayBeLong && Buffer.byteLength(text) > PROOF_LIMITS.recordBytes ? 'The body is too long.' : undefined;
};

const columnFault = (row: ActionRow, body: JsonObject, { log, seq }: RecordSpot): string | undefined => {
  if (row[1] !== log) return 'Column log_id differs from the body.';
  if (row[2] !== seq) return 'Column seq differs from the body.';
  if (row[3] !== orNull(body.sequence_no)) return 'Column sequence_no differs from the body.';
  if (row[4] !== body.kind) return 'Column kind differs from the body.';
  if (row[5] !== orNull(body.tool)) return 'Column tool differs from the body.';
  return row[6] === body.at ? undefined : 'Column at differs from the body.';
};

/** `isNewer`: the store has a newer format, in which records may say more than this version can read. */
export const checkRecord = (row: ActionRow, spot: RecordSpot, isNewer = false): CheckedRecord => {
  const text = row[7];
  if (typeof text !== 'string') return { leaf: NO_LEAF, body: undefined, fault: 'The body is not text.' };
  const leaf = leafHash(text);
  const body = parsedObject(text);
  if (row[8] !== leaf) return { leaf, body, fault: 'The leaf is not the hash of the body.' };
  if (body === undefined) return { leaf, body, fault: 'The body is not a JSON object.' };
  if (isDeeperThan(body, VERIFY_LIMITS.bodyDepth))
    return { leaf, body: undefined, fault: `The body is nested deeper than ${VERIFY_LIMITS.bodyDepth} levels.` };
  if (!isCanonical(text, body)) return { leaf, body, fault: 'The body is not canonical JSON.' };
  const fault = bodyFault(text, body, spot) ?? columnFault(row, body, spot);
  return { leaf, body, fault: fault ?? (isNewer ? undefined : readingFault(body)) };
};
