// Results stay under the size at which clients cut them in the middle: a list gives fewer rows and a cursor.
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
