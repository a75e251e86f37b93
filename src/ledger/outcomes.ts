// Finds the outcome of a call in the table of records, and keeps a call from getting a second outcome. An outcome mostly follows its intent
// directly; only outcomes that stand elsewhere are in an index. Keeps the derived tables of reputation beside the outcomes that they follow from: one row for
// each event, and the sums of each UTC day.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { epochOf, eventsOf } from '../proof/credits.js';
import type { CallExitRecord, LedgerRecord } from '../proof/records.js';
import type { NowTx, ReadTx, SqlValue, Tx } from '../store/store.js';

/**
 * SQL for the id of a call's outcome; NULL if the call has none. `intent` is the alias of `actions` for the call's intent. The second query
 * repeats the condition of the index `actions_outcome`: without it, SQLite would read the whole table.
 */
export const outcomeIdOf = (intent: string): string => {
  const isOutcome = `o.log_id = ${intent}.log_id AND o.sequence_no = ${intent}.seq AND o.kind = 'call.exit'`;
  return `coalesce((SELECT o.id FROM actions o WHERE o.id = ${intent}.id + 1 AND ${isOutcome}),
    (SELECT o.id FROM actions o WHERE ${isOutcome} AND o.seq <> o.sequence_no + 1))`;
};

/** The id of the record with a call's outcome; undefined if the call has none. */
export const findOutcome = async (tx: ReadTx, log: string, sequenceNo: number): Promise<number | undefined> => {
  const row = await tx.get<{ id: number | null }>(
    `SELECT ${outcomeIdOf('e')} AS id FROM logs l JOIN actions e ON e.id = l.no * ${RECORDS_PER_LOG} + ? WHERE l.log_id = ?`,
    sequenceNo,
    log,
  );
  return row?.id ?? undefined;
};

const OUTCOME_AT = "SELECT 1 AS found FROM actions WHERE id = ? AND sequence_no = ? AND kind = 'call.exit'";

/** A row of `actions`: id, log_id, seq, sequence_no, kind and further columns. */
type RecordRow = readonly SqlValue[];

/** Whether a row is an outcome that does not follow its intent directly: then another outcome may be there. */
export const isApart = (row: RecordRow): boolean => row[4] === 'call.exit' && row[2] !== Number(row[3]) + 1;

/** The id that the outcome directly after the intent of this row's call would have, and the call's number. */
export const outcomePlaceOf = ([id, , seq, sequenceNo]: RecordRow): readonly [id: number, sequenceNo: number] => [
  Number(id) - Number(seq) + Number(sequenceNo) + 1,
  Number(sequenceNo),
];

/** A condition of SQL: there is no outcome at any of so many ids. The list is padded, so that there are few different texts. */
export const noOutcomeAt = (ids: number): string =>
  `NOT EXISTS (SELECT 1 FROM actions WHERE kind = 'call.exit' AND id IN (${Array.from({ length: ids }, () => '?').join(', ')}))`;

const secondOutcome = (sequenceNo: number): Error => new Error(`call ${sequenceNo} has an outcome already`);

/**
 * Throws if one of the new rows is the second outcome of its call. Of two outcomes that do not follow the intent, the index refuses the
 * second; here the outcome that follows the intent is looked for.
 */
export const refuseSecondOutcomes = async (tx: Tx, rows: readonly RecordRow[]): Promise<void> => {
  for (const row of rows)
    if (isApart(row) && (await tx.get(OUTCOME_AT, ...outcomePlaceOf(row))) !== undefined)
      throw secondOutcome(Number(row[3]));
};

/** Like `refuseSecondOutcomes`, without a promise. */
export const refuseSecondOutcomesNow = (tx: NowTx, rows: readonly RecordRow[]): void => {
  for (const row of rows)
    if (isApart(row) && tx.get(OUTCOME_AT, ...outcomePlaceOf(row)) !== undefined) throw secondOutcome(Number(row[3]));
};

/** Whether the record at this position is the intent of that call. */
export const isIntentAt = async (tx: ReadTx, log: string, seq: number, call: string): Promise<boolean> => {
  const row = await tx.get<{ body: string }>(
    `SELECT e.body FROM logs l JOIN actions e ON e.id = l.no * ${RECORDS_PER_LOG} + ? WHERE l.log_id = ? AND e.kind = 'call.enter'`,
    seq,
    log,
  );
  return row !== undefined && (JSON.parse(row.body) as { call: string }).call === call;
};

// The derived tables of reputation.

const INSERT_EVENT = `INSERT INTO reputation_events (node_id, domain, at, record, place, good, why)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const ADD_TO_DAY = `INSERT INTO reputation_days (node_id, domain, day, successes, failures) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (node_id, domain, day) DO UPDATE SET successes = reputation_days.successes + excluded.successes,
    failures = reputation_days.failures + excluded.failures`;

/** Whether a record may say something about reputation. */
export const isScored = (record: LedgerRecord): record is CallExitRecord =>
  record.kind === 'call.exit' && (record.credits !== undefined || record.route !== undefined);

/** The rows of both tables for some new records. */
export class ReputationRows {
  readonly #events: SqlValue[][] = [];
  readonly #days = new Map<string, [node: string, domain: string, day: number, successes: number, failures: number]>();

  /** `id`: the id of the record in the store. */
  add(id: number, at: string, record: LedgerRecord): void {
    if (!isScored(record)) return;
    for (const { node, domain, good, why, place } of eventsOf(record)) {
      this.#events.push([node, domain, at, id, place, good ? 1 : 0, why]);
      const day = epochOf(at);
      const key = `${domain} ${day} ${node}`;
      const sums = this.#days.get(key) ?? [node, domain, day, 0, 0];
      sums[good ? 3 : 4] += 1;
      this.#days.set(key, sums);
    }
  }

  /** Sorted: transactions that wait for each other's rows take them in the same order. */
  #sums(): SqlValue[][] {
    return [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
  }

  writeNow(tx: NowTx): void {
    if (this.#events.length === 0) return;
    tx.runMany(INSERT_EVENT, this.#events);
    tx.runMany(ADD_TO_DAY, this.#sums());
  }

  async write(tx: Tx): Promise<void> {
    if (this.#events.length === 0) return;
    await tx.runMany(INSERT_EVENT, this.#events);
    await tx.runMany(ADD_TO_DAY, this.#sums());
  }
}
