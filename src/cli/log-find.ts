// The one record that a person names: by its place, by the call's id, or by a thought that it recorded.
import { findThought } from '../domains/trail/repository.js';
import type { RecordPlace } from '../ledger/prove.js';
import { LIMITS } from '../limits.js';
import type { ReadTx } from '../store/store.js';
import { bodyOf } from './call-view.js';
import { figure } from './figures.js';
import { allLogs, hasMember, isCall, type LogPlace, type LogRow, outcomeOf, recordAt } from './log-repository.js';
import { walkBack } from './log-walk.js';
import { parseTarget, placeOfTarget, wrong } from './target.js';

export interface FoundRecord {
  readonly log: LogPlace;
  /** The outcome where the intent of a call was named. */
  readonly row: LogRow;
}

const logOf = async (tx: ReadTx, name: string): Promise<LogPlace> => {
  const log = (await allLogs(tx)).find(({ log_id }) => log_id === name);
  if (log === undefined) throw wrong(`The store has no log ${name}.`, 'Is it another store?');
  return log;
};

const atPlace = async (tx: ReadTx, { log: name, seq }: RecordPlace): Promise<FoundRecord> => {
  const log = await logOf(tx, name);
  const row = await recordAt(tx, log.base + seq);
  if (row === undefined)
    throw wrong(`Log ${name} has lost its record ${seq}.`, '`colibri verify` says what else is wrong.');
  return { log, row: row.kind === 'call.enter' ? ((await outcomeOf(tx, name, seq)) ?? row) : row };
};

/** No index leads there: the newest records are gone through first, and it ends where the call is found. */
const byCall = async (tx: ReadTx, call: string, most: number): Promise<FoundRecord> => {
  const { rows, looked, stoppedAt } = await walkBack(tx, {
    conditions: [isCall, hasMember('call', call)],
    matches: async (_, { body }) => bodyOf(body).call === call,
    limit: 1,
    most,
  });
  const [row] = rows;
  if (row !== undefined) return { log: await logOf(tx, row.log_id), row };
  throw stoppedAt === undefined
    ? wrong(`The store has no call and no thought ${call}.`, 'Is it another store?')
    : wrong(
        `There is no call ${call} among the newest ${figure(looked)} records.`,
        'Add --all to go through all, or name the record by log and seq of its receipt.',
      );
};

export const findRecord = async (tx: ReadTx, text: string, all: boolean): Promise<FoundRecord> => {
  const target = parseTarget(text);
  if (target.kind === 'place') return atPlace(tx, await placeOfTarget(tx, target));
  const thought = await findThought(tx, target.id);
  if (thought !== undefined) return atPlace(tx, { log: thought.log_id, seq: thought.seq });
  return byCall(tx, target.id, all ? Number.POSITIVE_INFINITY : LIMITS.lookRecords);
};
