// Parses how a person names a record: a thought's id, a call's id, `<log>/<seq>`, or `<seq>` if only one log has so many records.
import { ColibriError } from '../errors.js';
import type { RecordPlace } from '../ledger/prove.js';
import { quote } from '../modes.js';
import type { ReadTx } from '../store/store.js';
import { callsBeginning, isIdPrefix, type SearchPlace } from './records/call-find.js';
import { allLogs, type LogInfo } from './records/record-repository.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TASK = /^t-\d{1,9}$/i;
const PLACE = /^(?:([0-9a-f]{4,32})\/)?(0|[1-9]\d{0,9})$/;

export type StoreTarget =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'place'; readonly log: string | undefined; readonly seq: number };

export const wrong = (message: string, remedy: string): ColibriError =>
  new ColibriError('INVALID_PARAMS', message, { remedy });

const ANY =
  'a thought id, a call id or the beginning of one (both are in the answers and receipts), <log>/<seq>, or <seq>';

/** Parses the name of a record. `takes`: the forms of names that the command accepts, for the error's remedy. */
export const parseTarget = (text: string, takes = ANY): StoreTarget => {
  const lower = text.toLowerCase();
  if (UUID.test(lower)) return { kind: 'id', id: lower };
  const [found, log, seq] = PLACE.exec(lower) ?? [];
  if (found !== undefined) return { kind: 'place', log, seq: Number(seq) };
  if (TASK.test(text))
    throw wrong(
      `${text} is a task, not a record.`,
      `\`colibri log --task ${text}\` lists the calls about it, \`colibri tasks ${text}\` shows its history.`,
    );
  throw wrong(`${quote(text)} does not name a record.`, `Give ${takes}.`);
};

const names = (logs: readonly LogInfo[], seq: number): string =>
  logs.map(({ log_id, node }) => `${log_id}/${seq} (${node})`).join(', ');

/** Finds the log of the named record; throws if no log or several logs match, or if the log has too few records. */
export const placeOfTarget = async (
  tx: ReadTx,
  { log, seq }: { readonly log: string | undefined; readonly seq: number },
): Promise<RecordPlace> => {
  const logs = (await allLogs(tx)).filter(({ log_id, size }) =>
    log === undefined ? size > seq : log_id.startsWith(log),
  );
  const [found, ...others] = logs;
  if (found === undefined) {
    throw log === undefined
      ? wrong(`No log has a record ${seq}.`, 'The first record of a log is 0.')
      : wrong(`The store has no log ${log}.`, '`colibri checkpoint` names the log of this user.');
  }
  if (others.length > 0) throw wrong(`${seq} is ambiguous.`, `Name the record with its log: ${names(logs, seq)}.`);
  if (found.size <= seq) {
    throw wrong(
      `Log ${found.log_id} has no record ${seq}.`,
      `The size of the log is ${found.size}; records are numbered from 0.`,
    );
  }
  return { log: found.log_id, seq };
};

/** The id of the one call that begins with the text; throws if there is none, or more than one. A text of another form is returned as it is. */
export const wholeId = async (place: SearchPlace, text: string): Promise<string> => {
  if (!isIdPrefix(text)) return text;
  const prefix = text.toLowerCase();
  const [only, ...others] = await callsBeginning(place, prefix);
  if (only === undefined)
    throw wrong(`The store has no call whose id begins with ${prefix}.`, 'Is the call in another store?');
  if (others.length === 0) return only;
  throw wrong(`Several calls begin with ${prefix}.`, `Give more of the id: ${[only, ...others].join(', ')}.`);
};
