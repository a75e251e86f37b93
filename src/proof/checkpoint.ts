// Writes and parses checkpoints: a log's size and root as a C2SP tlog-checkpoint. Parsing is strict: only one form is accepted, with nothing
// left over. Signatures are handled in note.ts.
import { fromBase64, toHashLine } from './base64.js';
import { toHex } from './bytes.js';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly root: string;
}

const ORIGIN = 'colibri.dev/log/';
const HASH_BYTES = 32;

export const originOf = (logId: string): string => `${ORIGIN}${logId}`;

/** The log id in an origin of ours; undefined for other origins. */
export const logIdIn = (origin: string): string | undefined =>
  origin.startsWith(ORIGIN) ? origin.slice(ORIGIN.length) : undefined;

/** Parses a size or index as C2SP writes it: decimal, without leading zeros. Numbers beyond 2^53-1 are refused. */
export const fromDecimal = (digits: string): number | undefined =>
  /^(0|[1-9]\d{0,15})$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;

/** The text that is signed. */
export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toHashLine(root)}\n`;

/** The checkpoint in a signed text; undefined if the text does not have exactly this form. */
export const readCheckpoint = (text: string): Checkpoint | undefined => {
  const [origin, sizeLine, rootLine, end, ...rest] = text.split('\n');
  if (origin === undefined || origin === '' || end !== '' || rest.length > 0) return undefined;
  const size = fromDecimal(sizeLine ?? '');
  const root = fromBase64(rootLine ?? '');
  if (size === undefined || root?.length !== HASH_BYTES) return undefined;
  return { origin, size, root: toHex(root) };
};
