// Writes a record as canonical JSON by the table of records: its members in the order that RFC 8785 demands, and no others.
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import { EVERY_RECORD } from '../proof/record-parts.js';
import { type LedgerRecord, RECORDS, type RecordKind } from '../proof/records.js';
import { memberName } from '../proof/shape.js';

/** The members that a record gets from its place in the log. */
export interface Frame {
  readonly at: string;
  readonly log: string;
  readonly seq: number;
  /** For the records of a call: the seq of its intent. */
  readonly sequence_no: number;
  readonly v: 1;
}

/** A member of a record: its name as canonical JSON writes it, and whether its value follows from the record's place in the log. */
interface Written {
  readonly name: string;
  readonly label: string;
  readonly isPlaced: boolean;
}

const PLACED: ReadonlySet<string> = new Set<keyof Frame>(['at', 'log', 'seq', 'sequence_no', 'v']);

const writtenMembers = (kind: RecordKind): readonly Written[] =>
  [...Object.keys(EVERY_RECORD), ...Object.keys(RECORDS[kind].members)]
    .map(memberName)
    .sort()
    .map((name) => {
      return { name, label: `"${name}":`, isPlaced: PLACED.has(name) };
    });

/** The members of each kind of record in the order of canonical JSON, so that appending need not sort them. */
const ORDER = Object.fromEntries(
  Object.keys(RECORDS).map((kind) => [kind, writtenMembers(kind as RecordKind)]),
) as Readonly<Record<RecordKind, readonly Written[]>>;

/** The canonical JSON of a record, made from the table of records. Members that the table does not have are not written. */
export const recordText = (frame: Frame, record: LedgerRecord): string => {
  const members = record as unknown as JsonObject;
  const placed = frame as unknown as JsonObject;
  let text = '';
  for (const { name, label, isPlaced } of ORDER[record.kind]) {
    const value = isPlaced ? placed[name] : members[name];
    if (value !== undefined) text += `${text === '' ? '{' : ','}${label}${canonicalJson(value)}`;
  }
  return `${text}}`;
};
