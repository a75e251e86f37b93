// `colibri log <record>` prints one record; `colibri log --explain <call>` explains one call. A person names the record by log and number,
// by a call's id, or by the id of a thought that the call recorded.
import { findThought } from '../../domains/trail/repository.js';
import type { RecordPlace } from '../../ledger/prove.js';
import type { ReadTx } from '../../store/store.js';
import { readingStore } from '../access.js';
import { fileOf, type StoreAt } from '../place.js';
import { aliveInstances } from '../processes.js';
import { findCall, type SearchPlace } from '../records/call-find.js';
import { type LogRow, outcomeOf, recordById } from '../records/log-repository.js';
import { allLogs, type LogInfo, logInfo } from '../records/record-repository.js';
import { indented } from '../screen/fields.js';
import { paint, plain, sayAnswer } from '../screen/print.js';
import { cut, screenWidth } from '../screen/width.js';
import { parseTarget, placeOfTarget, wholeId, wrong } from '../target.js';
import { type Explanation, explain, explanationLines } from './explain.js';
import type { LogOptions } from './filter.js';
import { type PlaceName, placeNames } from './line.js';
import { callLines, otherLines, readCall, readOther } from './one.js';

export interface FoundRecord {
  readonly log: LogInfo;
  /** The record that was named; if it is the record of a call's start and the call has ended, the record of the call's outcome. */
  readonly row: LogRow;
}

const logOf = async (tx: ReadTx, name: string): Promise<LogInfo> => {
  const log = await logInfo(tx, name);
  if (log === undefined) throw wrong(`The store has no log ${name}.`, 'Is the log in another store?');
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
  if (call === undefined)
    throw wrong(`The store has no call and no thought ${id}.`, 'Is the call or thought in another store?');
  const row = call.outcome ?? call.intent;
  return { log: await logOf(place.tx, row.log_id), row };
};

const findRecord = async (place: SearchPlace, text: string): Promise<FoundRecord> => {
  const { tx } = place;
  const target = parseTarget(await wholeId(place, text));
  if (target.kind === 'place') return atPlace(tx, await placeOfTarget(tx, target));
  const thought = await findThought(tx, target.id);
  return thought === undefined ? byCall(place, target.id) : atPlace(tx, { log: thought.log_id, seq: thought.seq });
};

const CALL_KINDS: readonly string[] = ['call.enter', 'call.exit'];

const explained = (explanation: Explanation, placeName: PlaceName) => {
  const sentences = explanationLines(explanation, placeName);
  const { tool, call } = explanation.call;
  const room = screenWidth() - call.length - 2;
  const title = `${paint('bold', cut(plain(tool), room))}  ${paint('dim', plain(call))}`;
  return {
    value: { ...explanation, sentences },
    lines: [title, ...sentences.flatMap((line) => indented(line, screenWidth()))],
  };
};

export const showRecord = async (at: StoreAt, text: string, options: LogOptions): Promise<number> => {
  const { value, lines } = await readingStore(at, async (store) => {
    const alive = await aliveInstances(store);
    return store.read(async (tx) => {
      const found = await findRecord({ tx, path: fileOf(at) }, text);
      const placeName = placeNames(await allLogs(tx));
      const isCall = CALL_KINDS.includes(found.row.kind);
      if (options.explain && !isCall)
        throw wrong('Only a call can be explained.', `The named record is of kind ${plain(found.row.kind)}.`);
      if (options.explain) return explained(await explain(tx, found, alive), placeName);
      if (isCall) {
        const call = await readCall(tx, found, alive);
        return { value: call, lines: callLines(call, placeName, screenWidth()) };
      }
      const record = await readOther(tx, found);
      return { value: record, lines: otherLines(record, found, placeName, screenWidth()) };
    });
  });
  sayAnswer(options.json, value, () => lines);
  return 0;
};
