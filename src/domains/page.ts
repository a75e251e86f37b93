// Splits lists into pages, because clients cut large results in the middle. A page that leaves rows out has a cursor, which says where
// the next page begins. The cursor carries a checksum over its filter and position. The checksum is not a secret: it only detects cursors
// that were made up or belong to another filter.
import { hash } from 'node:crypto';
import { ColibriError, quietly } from '../errors.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { DOMAIN_LIMITS } from './limits.js';

export interface Page<T> {
  readonly rows: readonly T[];
  /** True if rows were left out; the next page begins after the last row of this page. */
  readonly more: boolean;
}

/** Takes as many rows from the front of a list as fit into one tool result, at least one. `spentBytes` of the result are in use already. */
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

const CHECKSUM_CHARS = 16;

const checksumOf = (filter: unknown, position: readonly number[]): string =>
  hash('sha256', `colibri cursor ${canonicalJson([filter, position])}`).slice(0, CHECKSUM_CHARS);

export const encodeCursor = (filter: unknown, position: readonly number[]): string =>
  Buffer.from(`${checksumOf(filter, position)}${JSON.stringify(position)}`).toString('base64url');

const parsePosition = (text: string): readonly number[] | undefined => {
  const value: unknown = quietly(() => JSON.parse(text));
  return Array.isArray(value) && value.every(Number.isSafeInteger) ? (value as number[]) : undefined;
};

/**
 * Returns the list position that a cursor holds; an empty position if there is no cursor. Throws INVALID_PARAMS if the cursor is forged
 * or was made for another filter.
 */
export const decodeCursor = (filter: unknown, cursor: string | undefined): readonly number[] => {
  if (cursor === undefined) return [];
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = parsePosition(text.slice(CHECKSUM_CHARS));
  if (position === undefined || encodeCursor(filter, position) !== cursor) {
    throw new ColibriError('INVALID_PARAMS', 'cursor: not a cursor of this list.', {
      remedy: 'Repeat the call with the same filter and without the cursor.',
    });
  }
  return position;
};
