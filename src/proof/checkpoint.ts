// Writes and parses checkpoints: a log's size and Merkle root as a C2SP tlog-checkpoint. Parsing is strict: only one form is accepted, with
// nothing left over. Signatures are handled in note.ts.
import { fromBase64, toHashLine } from './base64.js';
import { toHex } from './bytes.js';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** The Merkle root as 64 hex digits. */
  readonly root: string;
}

const ORIGIN = 'colibri.dev/log/';
const HASH_BYTES = 32;

export const originOf = (logId: string): string => `${ORIGIN}${logId}`;

/** The log id in a checkpoint's origin line if Colibri wrote it; undefined for other origins. */
export const logIdIn = (origin: string): string | undefined =>
  origin.startsWith(ORIGIN) ? origin.slice(ORIGIN.length) : undefined;

/** The number in a size or index as C2SP writes it: decimal, without leading zeros; undefined for other texts and for numbers beyond 2^53-1. */
export const fromDecimal = (digits: string): number | undefined =>
  /^(0|[1-9]\d{0,15})$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;

/** The text of a checkpoint, over which the signature is made. */
export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toHashLine(root)}\n`;

/** The checkpoint in a signed text; undefined if the text does not have exactly the form of a checkpoint. */
export const readCheckpoint = (text: string): Checkpoint | undefined => {
  const [origin, sizeLine, rootLine, end, ...rest] = text.split('\n');
  if (origin === undefined || origin === '' || end !== '' || rest.length > 0) return undefined;
  const size = fromDecimal(sizeLine ?? '');
  const root = fromBase64(rootLine ?? '');
  if (size === undefined || root?.length !== HASH_BYTES) return undefined;
  return { origin, size, root: toHex(root) };
};
