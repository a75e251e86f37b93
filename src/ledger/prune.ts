// Prunes (deletes) the stored arguments of old calls in batches, each with its `prune` record in the same transaction. The digests stay, so
// every proof remains valid. Only rows of `payloads` are deleted here.

import { RECORDS_PER_LOG } from '../core/record-ids.js';
import type { ReadTx, Tx } from '../store/store.js';
import { append } from './ledger.js';
import { LEDGER_LIMITS } from './limits.js';
import type { OwnLog } from './own-log.js';

/** A range of `payloads` rows of one log, all of which are old enough to be pruned: the rows with `seq` from `from` to `to`. */
export interface OldRun {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface OldPage {
  readonly runs: readonly OldRun[];
  /** The seq of the last row that was read; undefined if there was none. */
  readonly last: number | undefined;
}

type PayloadAge = { readonly seq: number; readonly bytes: number; readonly at: string | null };

/** The next `payloads` rows of a log with their records' times. A row without a record has no time and is not pruned: `verify` reports it. */
const agesAfter = (tx: ReadTx, log: string, after: number): Promise<PayloadAge[]> =>
  tx.all<PayloadAge>(
    `SELECT p.seq, COALESCE(octet_length(p.json), 0) AS bytes, a.at
     FROM logs l JOIN payloads p ON p.log_id = l.log_id
     LEFT JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + p.seq AND a.kind IN ('call.enter', 'call.exit', 'health')
     WHERE l.log_id = ? AND p.seq > ? ORDER BY p.seq LIMIT ?`,
    log,
    after,
    LEDGER_LIMITS.pruneRows,
  );

/** The first rows whose bytes fit into one transaction: at least one row, however large it is. */
const cutTo = (rows: readonly PayloadAge[], mostBytes: number): readonly PayloadAge[] => {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes;
    return i > 0 && bytes > mostBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

/**
 * Finds ranges of old rows among the next `payloads` rows of a log. A row is as old as its record; clocks may be set back, so old rows need not
 * come first. A range begins right after the row before it, so that ranges with no young row between them are adjacent.
 */
export const oldPayloads = async (tx: ReadTx, log: string, before: string, after: number): Promise<OldPage> => {
  const rows = cutTo(await agesAfter(tx, log, after), LEDGER_LIMITS.pruneBytes);
  const runs: OldRun[] = [];
  let run: OldRun | undefined;
  let previous = after;
  for (const { seq, bytes, at } of rows) {
    if (at !== null && at < before) {
      const { from, rows, bytes: so } = run ?? { from: previous < 0 ? seq : previous + 1, rows: 0, bytes: 0 };
      run = { from, to: seq, rows: rows + 1, bytes: so + bytes };
    } else if (run !== undefined) {
      runs.push(run);
      run = undefined;
    }
    previous = seq;
  }
  if (run !== undefined) runs.push(run);
  return { runs, last: rows.at(-1)?.seq };
};

export interface Pruning {
  /** The log to which the `prune` records are appended. */
  readonly log: OwnLog;
  readonly at: string;
  readonly before: string;
  /** The log whose `payloads` rows are deleted. */
  readonly of: string;
}

export interface Pruned {
  readonly rows: number;
  readonly records: number;
}

/** Deletes each range of rows and appends a `prune` record for it. Rows that somebody else deleted meanwhile are not counted. */
export const prunePayloads = async (tx: Tx, pruning: Pruning, runs: readonly OldRun[]): Promise<Pruned> => {
  const { log, at, before, of } = pruning;
  let [rows, records] = [0, 0];
  for (const { from, to } of runs) {
    const count = await tx.run('DELETE FROM payloads WHERE log_id = ? AND seq >= ? AND seq <= ?', of, from, to);
    if (count === 0) continue;
    const place = { from_seq: from, to_seq: to, count };
    await append(tx, log, [{ at, record: { kind: 'prune', before, ...(of !== log.id && { of }), ...place } }]);
    rows += count;
    records += 1;
  }
  return { rows, records };
};
