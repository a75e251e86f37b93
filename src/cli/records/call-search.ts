// Searches ranges of records for the record written before a given call ran (its intent). Has no state, because two threads run it.

import { parseObject } from '../../proof/json-object.js';
import type { ReadTx } from '../../store/store.js';
import { textOf } from './call-view.js';
import { isIntentOf, type LogRow, recordsBetween, type Stretch } from './log-repository.js';
import { pagesBack } from './log-walk.js';

export const callOf = ({ body }: Pick<LogRow, 'body'>): string => textOf(parseObject(body).call);

export interface Search {
  readonly stretches: readonly Stretch[];
  /** Ids of the calls that are not found yet. If the store has two calls with the same id, the newest is taken. */
  readonly missing: Set<string>;
  readonly onProgress?: (looked: number) => void;
}

/** Returns the intents of the missing calls; stops as soon as every call is found. */
export const intentsIn = async (tx: ReadTx, { stretches, missing, onProgress }: Search): Promise<LogRow[]> => {
  const condition = isIntentOf([...missing]);
  const rows: LogRow[] = [];
  for (const stretch of stretches) {
    for (const page of pagesBack(stretch)) {
      if (missing.size === 0) return rows;
      const found = await recordsBetween(tx, page, [condition]);
      rows.push(...found.reverse().filter((row) => missing.delete(callOf(row))));
      onProgress?.(page.to - page.from);
    }
  }
  return rows;
};
