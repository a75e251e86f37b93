// Finds the outcome of a call in the table of records, and keeps a call from getting a second outcome. An outcome mostly follows its intent
// directly; only outcomes that stand elsewhere are in an index.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
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
const isApart = (row: RecordRow): boolean => row[4] === 'call.exit' && row[2] !== Number(row[3]) + 1;

/** The id that the outcome directly after the intent of this row's call would have, and the call's number. */
const placeOf = ([id, , seq, sequenceNo]: RecordRow): readonly [id: number, sequenceNo: number] => [
  Number(id) - Number(seq) + Number(sequenceNo) + 1,
  Number(sequenceNo),
];

const secondOutcome = (sequenceNo: number): Error => new Error(`call ${sequenceNo} has an outcome already`);

/**
 * Throws if one of the new rows is the second outcome of its call. Of two outcomes that do not follow the intent, the index refuses the
 * second; here the outcome that follows the intent is looked for.
 */
export const refuseSecondOutcomes = async (tx: Tx, rows: readonly RecordRow[]): Promise<void> => {
  for (const row of rows)
    if (isApart(row) && (await tx.get(OUTCOME_AT, ...placeOf(row))) !== undefined) throw secondOutcome(Number(row[3]));
};

/** Like `refuseSecondOutcomes`, without a promise. */
export const refuseSecondOutcomesNow = (tx: NowTx, rows: readonly RecordRow[]): void => {
  for (const row of rows)
    if (isApart(row) && tx.get(OUTCOME_AT, ...placeOf(row)) !== undefined) throw secondOutcome(Number(row[3]));
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
