// Checks an evidence row against the record it points to: the record must name the row with its current revision and digest.
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import type { Subject } from '../../proof/records.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading } from '../reading.js';
import type { Finding, FindingKind, Where } from '../verdict/finding.js';
import { type StoredRow, storedBodyAt } from './evidence-repository.js';

/** A record: its log, its number there, and its parsed body. */
export interface ReadRecord {
  readonly log: string;
  readonly seq: number;
  readonly body: JsonObject;
}

export const sayPointer = (kind: FindingKind, where: Where, message: string): Finding => ({ kind, where, message });

/** A stored value, shortened for use in a finding. */
export const shown = (value: unknown): string => {
  const text = Buffer.isBuffer(value) ? `x'${value.toString('hex')}'` : String(value);
  return text.length <= VERIFY_LIMITS.quotedValueChars
    ? text
    : `${text.slice(0, VERIFY_LIMITS.quotedValueChars).toWellFormed()}…`;
};

/** The record that a row points to; undefined if the pointer is invalid. */
export const recordOf = (tx: StoreReading, row: StoredRow): ReadRecord | undefined => {
  const { log_id: log, seq } = row;
  if (typeof log !== 'string' || typeof seq !== 'number') return undefined;
  const body = parsedObject(storedBodyAt(tx, log, seq));
  return body === undefined ? undefined : { log, seq, body };
};

/** The evidence rows that a record names (its subjects); values that are not objects are left out. */
export const subjectsOf = (body: ReadRecord['body']): readonly JsonObject[] =>
  Array.isArray(body.subjects) ? body.subjects.filter(isObject) : [];

/** Returns findings if `record` does not name the row that `subject` describes, with the same revision and digest. */
export const namedBy = (record: ReadRecord | undefined, subject: Subject, where: Where): Finding[] => {
  if (record === undefined) return [sayPointer('row', where, 'points to no record')];
  const { log, seq } = record;
  const said = subjectsOf(record.body).find(({ type, id }) => type === subject.type && id === subject.id);
  const at = { ...where, log, seq };
  if (said === undefined) return [sayPointer('row', at, 'its record does not name it')];
  if (said.rev !== subject.rev)
    return [sayPointer('row', at, `has revision ${shown(subject.rev)}, its record made ${shown(said.rev)}`)];
  if (said.digest !== subject.digest) return [sayPointer('row', at, 'is not what its record says')];
  return [];
};

/** Returns a finding if the value of a column (`is`), which follows from other data, is not what it should be. */
export const unlike = (where: Where, column: string, is: unknown, should: unknown): Finding[] =>
  is === should ? [] : [sayPointer('derived', where, `${column} is ${shown(is)}, not ${shown(should)}`)];
