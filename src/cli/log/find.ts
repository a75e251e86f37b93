// Finds the record that a person names by log and number, by a call's id, or by the id of a thought that the call recorded.
import { findThought } from '../../domains/trail/repository.js';
import type { RecordPlace } from '../../ledger/prove.js';
import type { ReadTx } from '../../store/store.js';
import { findCall, type SearchPlace } from '../records/call-find.js';
import { type LogRow, outcomeOf, recordById } from '../records/log-repository.js';
import { type LogInfo, logInfo } from '../records/record-repository.js';
import { parseTarget, placeOfTarget, wrong } from '../target.js';

export interface FoundRecord {
  readonly log: LogInfo;
  /** The record that was named; if it is the record of a call's start and the call has ended, the record of the call's outcome. */
  readonly row: LogRow;
}

const logOf = async (tx: ReadTx, name: string): Promise<LogInfo> => {
  const log = await logInfo(tx, name);
  if (log === undefined) throw wrong(`The store has no log ${name}.`, 'Is it in another store?');
  return log;
};

const atPlace = async (tx: ReadTx, { log: name, seq }: RecordPlace): Promise<FoundRecord> => {
  const log = await logOf(tx, name);
  const row = await recordById(tx, log.base + seq);
  if (row === undefined)
    throw wrong(`Log ${name} has lost its record ${seq}.`, '`colibri verify` says what else is wrong.');
  return { log, row: row.kind === 'call.enter' ? ((await outcomeOf(tx, name, seq)) ?? row) : row };
};

const byCall = async (place: SearchPlace, id: string): Promise<FoundRecord> => {
  const call = await findCall(place, id);
  if (call === undefined) throw wrong(`The store has no call and no thought ${id}.`, 'Is it in another store?');
  const row = call.outcome ?? call.intent;
  return { log: await logOf(place.tx, row.log_id), row };
};

export const findRecord = async (place: SearchPlace, text: string): Promise<FoundRecord> => {
  const { tx } = place;
  const target = parseTarget(text);
  if (target.kind === 'place') return atPlace(tx, await placeOfTarget(tx, target));
  const thought = await findThought(tx, target.id);
  return thought === undefined ? byCall(place, target.id) : atPlace(tx, { log: thought.log_id, seq: thought.seq });
};
