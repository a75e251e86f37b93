// Pruning: the kept arguments of old calls go, a batch at a time, each batch with its record in the same transaction.
// What was hashed stays, so every proof stands. Nothing but payload rows is ever taken out here.

import { RECORDS_PER_LOG } from '../core/record-ids.js';
import type { ReadTx, Tx } from '../store/store.js';
import { append } from './ledger.js';
import { LEDGER_LIMITS } from './limits.js';

/** Payload rows of a log that lie side by side and are all old: every one from `from` to `to`. */
export interface OldRun {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface OldPage {
  readonly runs: readonly OldRun[];
  /** The last row that was looked at; undefined where there was none left. */
  readonly last: number | undefined;
}

type PayloadAge = { readonly seq: number; readonly bytes: number; readonly at: string | null };

/** A row that no record speaks of has no age, so it stays: `verify` has something to say about it. */
const agesAfter = (tx: ReadTx, log: string, after: number): Promise<PayloadAge[]> =>
  tx.all<PayloadAge>(
    `SELECT p.seq, COALESCE(octet_length(p.json), 0) AS bytes, a.at
     FROM logs l JOIN payloads p ON p.log_id = l.log_id
     LEFT JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + p.seq AND a.kind IN ('call.enter', 'health')
     WHERE l.log_id = ? AND p.seq > ? ORDER BY p.seq LIMIT ?`,
    log,
    after,
    LEDGER_LIMITS.pruneRows,
  );

/** As many rows as one transaction may take out: at least one, however long it is. */
const cutTo = (rows: readonly PayloadAge[], mostBytes: number): readonly PayloadAge[] => {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes;
    return i > 0 && bytes > mostBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

/**
 * The old rows among the next ones of a log. Each is judged by its own record: clocks step back, so the old ones need not
 * come first. A run begins where the row before it ended, so that runs without a young row between them join up.
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
  /** Where the records go. */
  readonly log: string;
  readonly at: string;
  readonly before: string;
  /** Whose payloads go. */
  readonly of: string;
}

export interface Pruned {
  readonly rows: number;
  readonly records: number;
}

/** Takes the runs out and says so. What somebody else has taken out meanwhile is not counted again. */
export const prunePayloads = async (tx: Tx, pruning: Pruning, runs: readonly OldRun[]): Promise<Pruned> => {
  const { log, at, before, of } = pruning;
  let [rows, records] = [0, 0];
  for (const { from, to } of runs) {
    const count = await tx.run('DELETE FROM payloads WHERE log_id = ? AND seq >= ? AND seq <= ?', of, from, to);
    if (count === 0) continue;
    const place = { from_seq: from, to_seq: to, count };
    await append(tx, log, [{ at, record: { kind: 'prune', before, ...(of !== log && { of }), ...place } }]);
    rows += count;
    records += 1;
  }
  return { rows, records };
};
