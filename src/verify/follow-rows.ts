// Follows every evidence row through the records of all logs: threads leave traces of what records say, the scratch file brings the
// traces of each row together, and threads judge them.
import { asError } from '../errors.js';
import { type Executor, Unreadable } from './executor.js';
import type { LogWalk } from './log/log-walk.js';
import type { Scratch } from './scratch.js';
import { addFound, type Found, nothingFound } from './verdict/finding-list.js';

export interface FollowedRows {
  readonly found: Found;
  readonly rows: number;
}

/** Adds traces to the scratch file. A full disk says nothing about the store: then the store could not be checked. */
export const keepTraces = (scratch: Scratch, traces: Uint8Array): void => {
  try {
    scratch.addAll(traces);
  } catch (thrown) {
    throw new Unreadable(`the temporary file of the verification cannot be written: ${asError(thrown).message}`);
  }
};

/** Judges the traces, when the records of all logs were read. */
export const followRows = async (
  executor: Executor,
  walks: readonly LogWalk[],
  scratch: Scratch,
): Promise<FollowedRows> => {
  const partial = walks.some(({ trusted }) => trusted > 0);
  const ends = walks.map(({ state: { base, walked } }) => base + walked);
  const found = nothingFound();
  let rows = 0;
  for (const batch of scratch.batches()) {
    const report = await executor.run('histories', { batch, ends, partial });
    addFound(found, report.found);
    rows += report.rows;
  }
  return { found, rows };
};
