// Reads and checks the records of a range one after the other, each by itself. Most are read as lines of one long text, which is faster
// than rows.
import { hash } from 'node:crypto';
import type { JsonObject } from '../../proof/canonical-json.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreSnapshot } from '../reading.js';
import { type CallReader, callReader } from './call-shape.js';
import { COLUMN_END, LEAF_MARK } from './ledger-repository.js';
import { type ActionRow, type CheckedRecord, checkRecord, isTorn, NO_LEAF, NOT_WELL_FORMED } from './record.js';

/** The log whose records are read. */
export interface ReadLog {
  readonly log: string;
  /** The id of the log's record 0. */
  readonly base: number;
  /** True if the store has a newer format, in which records may say more than this version can read. */
  readonly isNewer: boolean;
}

export interface CheckedPair {
  readonly intent: JsonObject;
  /** The hashes of the bodies of intent and outcome. */
  readonly leaves: readonly [string, string];
  /** The member `route` of the outcome. */
  readonly route: unknown;
}

const MISSING: CheckedRecord = { leaf: NO_LEAF, body: undefined, fault: 'The record is missing.' };

/** The columns before the body in a line. */
const LINE_COLUMNS = ['seq', 'sequence_no', 'kind', 'at', 'leaf', 'tool'] as const;

/** Makes the row of a record from its line; undefined if the line does not tell where each column ends. */
const rowIn = (line: string, { log, base }: ReadLog): ActionRow | undefined => {
  const mark = line.indexOf(LEAF_MARK);
  const columns = line.slice(0, Math.max(0, mark)).split(COLUMN_END);
  const [seq = '', sequenceNo = '', kind, at, leaf, tool] = columns;
  if (columns.length !== LINE_COLUMNS.length || !/^\d{1,15}$/.test(seq) || !/^\d{1,15}$/.test(sequenceNo))
    return undefined;
  return [base + Number(seq), log, Number(seq), Number(sequenceNo), kind, tool, at, line.slice(mark + 1), leaf];
};

const linesIn = (text: string): number => {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

export class RecordReader {
  readonly #log: ReadLog;
  readonly #calls: CallReader;
  #tx: StoreSnapshot | undefined;
  /** Where the range ends, and how far it was read. */
  #to = 0;
  #end = 0;
  /** Lines of records that were read, and where the next one begins. */
  #text = '';
  #at = 0;
  /** The rows of these records by id, if lines do not do. */
  #rows: ReadonlyMap<unknown, ActionRow> | undefined;

  constructor(log: ReadLog) {
    this.#log = log;
    this.#calls = callReader(log.log);
  }

  /** Begins to read the records `from … to` (`to` excluded); `next` must then be called for each of them, in the same snapshot. */
  begin(tx: StoreSnapshot, from: number, to: number): void {
    [this.#tx, this.#to, this.#end] = [tx, to, from];
  }

  /** Checks the next record, which must have the number `seq`. */
  next(seq: number): CheckedRecord {
    this.#readFrom(seq);
    if (this.#rows !== undefined) return this.#checkRow(this.#rows.get(this.#log.base + seq), seq);
    const at = this.#at;
    const call = seq === 0 ? undefined : this.#calls.line(this.#text, at);
    if (call === undefined) return this.#checkLine(seq);
    this.#at = call.end + 1;
    const leaf = this.#leafOf(at, call.end);
    const isRight = call.body.seq === seq && leaf === call.leaf;
    return isRight ? { leaf, body: call.body, fault: undefined } : this.#checkRow(this.#rowAt(seq), seq);
  }

  /**
   * Checks the records `seq` and `seq + 1` at once, if they are the usual records of one call: then nothing is wrong with them, and the
   * second is the outcome of the first. Otherwise returns undefined, and `next` checks them one by one.
   */
  nextPair(seq: number): CheckedPair | undefined {
    this.#readFrom(seq);
    if (this.#rows !== undefined || seq === 0) return undefined;
    const at = this.#at;
    const middle = this.#text.indexOf('\n', at);
    if (!this.#text.startsWith(`${seq + 1}${COLUMN_END}${seq}${COLUMN_END}call.exit`, middle + 1)) return undefined;
    const pair = this.#calls.pair(this.#text, at);
    if (pair === undefined || pair.intent.seq !== seq) return undefined;
    const leaves = [this.#leafOf(at, middle), this.#leafOf(middle + 1, pair.end)] as const;
    if (leaves[0] !== pair.leaves[0] || leaves[1] !== pair.leaves[1]) return undefined;
    this.#at = pair.end + 1;
    return { intent: pair.intent, leaves, route: pair.route };
  }

  /** Hashes the body in the line from `at` to `end`. */
  #leafOf(at: number, end: number): string {
    return hash('sha256', this.#text.slice(this.#text.indexOf(LEAF_MARK, at), end));
  }

  /** Reads the record `from` and some that follow, unless they were read before. */
  #readFrom(from: number): void {
    if (from < this.#end || this.#tx === undefined) return;
    const { base } = this.#log;
    const to = Math.min(from + VERIFY_LIMITS.verifyLines, this.#to);
    const { count, text } = this.#tx.engine.recordLines(this.#tx, this.#log, [base + from, base + to]);
    [this.#text, this.#at, this.#end] = [text, 0, to];
    // If a record is missing, or a column contains a line break, a line does not tell of which record it is.
    const isOneEach = count === to - from && linesIn(text) === count;
    this.#rows = isOneEach
      ? undefined
      : new Map(this.#tx.engine.recordsIn(this.#tx, base + from, base + to).map((row) => [row[0], row] as const));
  }

  #checkLine(seq: number): CheckedRecord {
    const next = this.#text.indexOf('\n', this.#at);
    const end = next < 0 ? this.#text.length : next;
    const row = rowIn(this.#text.slice(this.#at, end), this.#log);
    this.#at = end + 1;
    return this.#checkRow(row?.[2] === seq ? row : this.#rowAt(seq), seq);
  }

  #rowAt(seq: number): ActionRow | undefined {
    const id = this.#log.base + seq;
    return this.#tx?.engine.recordsIn(this.#tx, id, id + 1)[0];
  }

  #checkRow(row: ActionRow | undefined, seq: number): CheckedRecord {
    const { log, base, isNewer } = this.#log;
    if (row === undefined) return MISSING;
    const checked = checkRecord(row, { log, seq }, isNewer);
    const readBytes = (): unknown => this.#tx?.engine.bodyBytes(this.#tx, base + seq);
    return checked.fault === undefined && isTorn(row[7], readBytes) ? { ...checked, fault: NOT_WELL_FORMED } : checked;
  }
}
