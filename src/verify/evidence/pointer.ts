// A row and the record it points to: the record must name the row, with the revision and the digest that the row has
// now.
import { isObject, type JsonObject, parsedObject } from '../../proof/json-object.js';
import type { Subject } from '../../proof/records.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading } from '../reading.js';
import type { Finding, FindingKind, Where } from '../verdict/finding.js';
import { type StoredRow, storedBodyAt } from './evidence-repository.js';

/** A record as its body tells it. */
export interface ReadRecord {
  readonly log: string;
  readonly seq: number;
  readonly body: JsonObject;
}

export const sayPointer = (kind: FindingKind, where: Where, message: string): Finding => ({ kind, where, message });

/** A value as it may stand in a finding. */
export const shown = (value: unknown): string => {
  const text = Buffer.isBuffer(value) ? `x'${value.toString('hex')}'` : String(value);
  return text.length <= VERIFY_LIMITS.quotedValueChars
    ? text
    : `${text.slice(0, VERIFY_LIMITS.quotedValueChars).toWellFormed()}…`;
};

/** The record that a row points to. Reads nothing where the pointer is none. */
export const recordOf = (tx: StoreReading, row: StoredRow): ReadRecord | undefined => {
  const { log_id: log, seq } = row;
  if (typeof log !== 'string' || typeof seq !== 'number') return undefined;
  const body = parsedObject(storedBodyAt(tx, log, seq));
  return body === undefined ? undefined : { log, seq, body };
};

/** The subjects of a record that can be read as such. */
export const subjectsOf = (body: ReadRecord['body']): readonly JsonObject[] =>
  Array.isArray(body.subjects) ? body.subjects.filter(isObject) : [];

/** Nothing, or what is wrong between a row and its record. */
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

/** A derived or repeated value that is not what it follows from. */
export const unlike = (where: Where, column: string, is: unknown, should: unknown): Finding[] =>
  is === should ? [] : [sayPointer('derived', where, `${column} is ${shown(is)}, not ${shown(should)}`)];
