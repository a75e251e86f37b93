// Checks the history of every evidence row across the records of all logs. Threads note what records say about rows (traces), the scratch
// file groups the traces by row, and threads then check each row's traces.

import { inOrder } from '../core/in-order.js';
import { asError } from '../errors.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import { type Executor, Unreadable } from './executor.js';
import type { HistoriesReport } from './histories-check.js';
import { VERIFY_LIMITS } from './limits.js';
import type { ChunkReport } from './log/chunk.js';
import type { LogWalk } from './log/log-walk.js';
import { openScratch, type ScratchFile } from './scratch.js';
import { addFound, type Found, nothingFound } from './verdict/finding-list.js';

export interface FollowedRows {
  readonly found: Found;
  readonly rows: number;
}

/** The other logs that a record names with their sizes. */
const logsIn = ({ kind, previous, size, logs }: JsonObject): readonly JsonObject[] => {
  if (kind === 'succeeds' || kind === 'restore') return [{ log: previous, size }];
  return (kind === 'beside' || kind === 'migrate') && Array.isArray(logs) ? logs.filter(isObject) : [];
};

export class RowFollower {
  readonly #scratch: ScratchFile = openScratch();
  readonly #walks: readonly LogWalk[];
  readonly #bases: ReadonlyMap<unknown, number>;
  /** Pairs of ids: a record that names another log, and the id which that log's next record would have had at that time. */
  #sightings: (readonly [number, number])[] = [];

  constructor(walks: readonly LogWalk[]) {
    this.#walks = walks;
    this.#bases = new Map(walks.map(({ state: { log, base } }) => [log, base]));
  }

  /**
   * Adds the statements in a report about a range of records to those that were collected so far. If the temporary file cannot be written,
   * the store is not at fault, but could not be checked.
   */
  take({ traces, notable }: ChunkReport): void {
    try {
      this.#scratch.addAll(traces);
    } catch (thrown) {
      throw new Unreadable(`the temporary file of the verification cannot be written: ${asError(thrown).message}`);
    }
    for (const body of notable) this.#see(body);
  }

  #see(body: JsonObject): void {
    const own = this.#bases.get(body.log);
    for (const { log, size } of logsIn(body)) {
      const base = this.#bases.get(log);
      if (own === undefined || base === undefined || base === own || !Number.isInteger(size)) continue;
      this.#sightings.push([own + Number(body.seq), base + Number(size)]);
    }
    // The pairs tell in what order records of different logs were written. If there are too many pairs, every second one is dropped: then
    // less is known about the order, but nothing false.
    if (this.#sightings.length > VERIFY_LIMITS.verifySightings)
      this.#sightings = this.#sightings.filter((_, i) => i % 2 === 1);
  }

  /**
   * Checks the histories of all rows. To be called when the records of all logs were read. `losses`: the records by which a person accepted
   * that a log is gone, so that earlier revisions may be missing.
   */
  async judge(executor: Executor, losses: readonly JsonObject[]): Promise<FollowedRows> {
    const partial = this.#walks.some(({ trusted }) => trusted > 0);
    const accepted = losses.map(({ log, seq }) => (this.#bases.get(log) ?? 0) + Number(seq));
    const ends = this.#walks.map(({ state: { base, walked } }) => base + walked);
    const sightings = Float64Array.from(this.#sightings.flat());
    const found = nothingFound();
    let rows = 0;
    const check = (batch: Uint8Array): Promise<HistoriesReport> =>
      executor.run('histories', { batch, ends, sightings, partial, losses: accepted });
    await inOrder(this.#scratch.batches(), executor.width, check, (report) => {
      addFound(found, report.found);
      rows += report.rows;
    });
    return { found, rows };
  }

  close(): void {
    this.#scratch.close();
  }
}
