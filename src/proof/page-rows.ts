// Which rows and thoughts of a page are proved by its records: each must be what the record that names it digests, there once, and not older
// than another shown record says.
import { fromHex } from './bytes.js';
import { canonicalJson, isObject, type JsonObject } from './canonical-json.js';
import type { Hashes } from './hashes.js';
import type { PageLog, PageThought } from './page-data.js';
import { isIndex } from './proof-file.js';

/** The name of a row or thought in `PageLogVerdict.proved`. */
export const nameOfRow = (type: unknown, id: unknown): string => `${String(type)} ${String(id)}`;

interface Mention {
  readonly log: unknown;
  readonly seq: number;
  readonly rev: number;
}

/** What is known of the rows of all logs of a page while they are checked one after the other. */
export interface RowsSeen {
  /** Where the shown records name each row, by the row's name. */
  readonly mentions: ReadonlyMap<string, readonly Mention[]>;
  /** The names of the rows that were checked. */
  readonly checked: Set<string>;
}

const indexIn = (value: unknown): number => (isIndex(value) ? value : -1);

const subjectsIn = ({ subjects }: JsonObject): readonly JsonObject[] =>
  Array.isArray(subjects) ? subjects.filter(isObject) : [];

export const rowsToSee = (logs: readonly PageLog[]): RowsSeen => {
  const mentions = new Map<string, Mention[]>();
  for (const record of logs.flatMap(({ records }) => records)) {
    for (const { type, id, rev } of subjectsIn(record)) {
      const name = nameOfRow(type, id);
      const mention = { log: record.log, seq: indexIn(record.seq), rev: indexIn(rev) };
      const known = mentions.get(name);
      if (known === undefined) mentions.set(name, [mention]);
      else known.push(mention);
    }
  }
  return { mentions, checked: new Set() };
};

interface CheckedRow {
  readonly name: string;
  readonly seq: number;
  /** What the row's digest covers. */
  readonly of: JsonObject;
  readonly type: unknown;
  readonly id: unknown;
  readonly isWrong: boolean;
}

const contentFault = ({ content, salt, record }: PageThought, { salted }: Hashes): boolean =>
  content !== null && salt !== null && salted(fromHex(salt), content) !== record.content_digest;

const rowsOf = ({ rows, thoughts }: PageLog, hashes: Hashes): readonly CheckedRow[] => {
  const named = (seq: number, of: JsonObject, type: unknown, id: unknown, isWrong: boolean): CheckedRow => ({
    ...{ name: nameOfRow(type, id), seq, of, type, id, isWrong },
  });
  return [
    ...rows.map(({ seq, row }) => named(seq, row, row.type, row.id, false)),
    ...thoughts.map((one) => named(one.seq, one.record, 'thought', one.record.thought_id, contentFault(one, hashes))),
  ];
};

/** Whether a record names a row of this type, id and digest. */
const isNamed = (record: JsonObject, { type, id }: CheckedRow, digest: string): boolean =>
  subjectsIn(record).some((one) => one.type === type && one.id === id && one.digest === digest);

/** Whether another shown record names a later revision: later in the same log, or with a higher number in another. */
const isOutdated = ({ name, seq, of }: CheckedRow, log: unknown, { mentions }: RowsSeen): boolean =>
  (mentions.get(name) ?? []).some((one) => (one.log === log ? one.seq > seq : one.rev > indexIn(of.rev)));

export interface RowsChecked {
  readonly faults: readonly string[];
  /** The names of the rows that are proved. The others are not: the record that names them is not shown, or they changed since. */
  readonly proved: ReadonlySet<string>;
}

/** Checks the rows and thoughts of one log, whose shown records are `records` by their numbers. */
export const checkPageRows = (
  page: PageLog,
  records: ReadonlyMap<number, JsonObject>,
  seen: RowsSeen,
  hashes: Hashes,
): RowsChecked => {
  const faults: string[] = [];
  const proved = new Set<string>();
  for (const row of rowsOf(page, hashes)) {
    const { name, seq, of, isWrong } = row;
    const record = records.get(seq);
    const isTwice = seen.checked.has(name);
    seen.checked.add(name);
    // Two rows of one name: the mark of the one that is proved would stand beside the other, too.
    if (isTwice) faults.push(`${name} is there twice`);
    else if (isWrong) faults.push(`the content of ${name} is not the one that was digested`);
    else if (record === undefined || isOutdated(row, record.log, seen)) continue;
    else if (isNamed(record, row, hashes.leaf(canonicalJson(of)))) proved.add(name);
    else faults.push(`${name} is not what record ${seq} says of it`);
  }
  return { faults, proved };
};
