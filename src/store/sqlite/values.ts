// What may cross into SQLite and what may come back. The port promises string, number and null; the engine
// would take and return more, and lose digits on the way.

import { ColibriError } from '../../errors.js';
import type { Row, SqlValue } from '../store.js';

const refusal = (value: unknown): string | undefined => {
  if (value === null) return undefined;
  // U+0000 ends a text early in SQL functions; a lone surrogate would come back as U+FFFD.
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.includes('\u0000') ? undefined : 'text with U+0000 or a lone surrogate';
  }
  if (typeof value !== 'number') return typeof value;
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'an integer beyond 2^53-1' : undefined;
};

/** The parameters, unless one of them has no exact form in every engine. */
export const bindable = (params: readonly unknown[]): readonly SqlValue[] => {
  for (let index = 0; index < params.length; index++) {
    const why = refusal(params[index]);
    if (why !== undefined) throw new TypeError(`parameter ${index + 1}: ${why} cannot be bound`);
  }
  return params as readonly SqlValue[];
};

const isReadable = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) || !Number.isInteger(value)
    : typeof value === 'string' || value === null;

/** The row, unless a value in it is not what we could have stored: an integer that lost digits, a blob. */
export const readable = <T extends Row>(row: T): T => {
  for (const column in row) {
    if (isReadable(row[column])) continue;
    throw new ColibriError('STORE_CORRUPT', `column ${column} holds a value that Colibri never stores`, {
      remedy: 'Run colibri verify to see what else was changed from outside.',
    });
  }
  return row;
};
