// Searches stretches of records for the intents of given calls. It keeps no state, because two threads run it.

import { parseObject } from '../../proof/json-object.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { textOf } from './call-view.js';
import { isIntentOf, type LogRow, recordsBetween, type Stretch } from './log-repository.js';

/** Pages from newest to oldest, each larger than the one before, so that a recent call is found at once. */
function* pagesBack({ from, to }: Stretch): Generator<Stretch> {
  let size: number = CLI_LIMITS.lookFirstPage;
  for (let end = to; end > from; end -= size, size = Math.min(size * 2, CLI_LIMITS.lookPage)) {
    yield { from: Math.max(from, end - size), to: end };
  }
}

export const callOf = ({ body }: Pick<LogRow, 'body'>): string => textOf(parseObject(body).call);

export interface Search {
  readonly stretches: readonly Stretch[];
  /** Ids of calls that are not found yet. If a store has two calls with one id, the newest is taken. */
  readonly missing: Set<string>;
  readonly onProgress?: (looked: number) => void;
}

/** Stops as soon as every id is found. */
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
