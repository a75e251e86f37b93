// Lists in pages. A result stays under the size at which clients cut it in the middle: it has fewer rows and a cursor, which says where
// the list goes on and is bound to the filter it was made for. Its seal is no secret; it tells a cursor of ours from one that was made
// up or belongs to another question.
import { hash } from 'node:crypto';
import { ColibriError } from '../errors.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { DOMAIN_LIMITS } from './limits.js';

export interface Page<T> {
  readonly rows: readonly T[];
  /** Rows were left out: ask again from after the last one. */
  readonly more: boolean;
}

/** As many rows from the front as fit, at least one. */
export const fitPage = <T>(rows: readonly T[], spentBytes = 0): Page<T> => {
  let bytes = DOMAIN_LIMITS.pageEnvelopeBytes + spentBytes;
  const fitting: T[] = [];
  for (const row of rows) {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (fitting.length > 0 && bytes > DOMAIN_LIMITS.resultBytes) return { rows: fitting, more: true };
    fitting.push(row);
  }
  return { rows: fitting, more: false };
};

const SEAL_CHARS = 16;

const sealOf = (filter: unknown, position: readonly number[]): string =>
  hash('sha256', `colibri cursor ${canonicalJson([filter, position])}`).slice(0, SEAL_CHARS);

export const encodeCursor = (filter: unknown, position: readonly number[]): string =>
  Buffer.from(`${sealOf(filter, position)}${JSON.stringify(position)}`).toString('base64url');

const parsePosition = (text: string): readonly number[] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(Number.isSafeInteger) ? (value as number[]) : undefined;
  } catch {
    return undefined;
  }
};

/** Throws INVALID_PARAMS for a cursor that is forged or from another filter. */
export const decodeCursor = (filter: unknown, cursor: string): readonly number[] => {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = parsePosition(text.slice(SEAL_CHARS));
  if (position === undefined || encodeCursor(filter, position) !== cursor) {
    throw new ColibriError('INVALID_PARAMS', 'cursor: not a cursor of this list.', {
      remedy: 'Repeat the call with the same filter and without the cursor.',
    });
  }
  return position;
};
