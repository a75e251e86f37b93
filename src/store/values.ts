// Checks of values on their way into and out of a database. The port promises string, number and null; engines would accept and return
// more, and lose digits.

import { ColibriError } from '../errors.js';
import type { Row, SqlValue } from './store.js';

const refusal = (value: unknown): string | undefined => {
  if (value === null) return undefined;
  // SQL functions end a text at U+0000; half of a surrogate pair would come back as U+FFFD.
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.includes('\u0000') ? undefined : 'text with U+0000 or a lone surrogate';
  }
  if (typeof value !== 'number') return typeof value;
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'an integer beyond 2^53-1' : undefined;
};

/** Returns the parameters of a statement; throws if a value cannot be stored exactly by every database engine. */
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

/** Returns the row; throws if it holds a value that Colibri cannot have stored: an integer that lost digits, a blob. */
export const readable = <T extends Row>(row: T): T => {
  for (const column in row) {
    if (isReadable(row[column])) continue;
    throw new ColibriError('STORE_CORRUPT', `column ${column} holds a value that Colibri never stores`, {
      remedy: 'Run colibri verify to see what else was changed from outside.',
    });
  }
  return row;
};

const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(\w+)/;
const NOT_FOR_TRANSACTIONS =
  /^(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|PREPARE|SAVEPOINT|RELEASE|PRAGMA|ATTACH|DETACH|VACUUM|SET|RESET|DISCARD|LISTEN)$/i;

/** Throws for a statement that does not belong in a transaction: a COMMIT would split the transaction, a PRAGMA or SET would outlast it. */
export const assertForTransaction = (sql: string): void => {
  const word = FIRST_WORD.exec(sql)?.[1] ?? '';
  if (NOT_FOR_TRANSACTIONS.test(word)) throw new TypeError(`${word} is not allowed inside a transaction function`);
};
