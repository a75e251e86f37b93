// Searches records backwards from the newest, in all logs of a store at once, until enough records match or as many were read as the caller
// permits.
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import {
  type Condition,
  hasMember,
  isKind,
  type LogRow,
  recordsBefore,
  recordsBetween,
  recordTime,
  type Stretch,
} from './log-repository.js';
import { allLogs, type LogInfo } from './record-repository.js';

export interface Walk {
  /** The matching records, newest first. */
  readonly rows: readonly LogRow[];
  /** How many records were read, whether they match or not. */
  readonly looked: number;
  /** The time of the record at which the search gave up; undefined if the search found enough or read everything. */
  readonly stoppedAt: string | undefined;
  /** True if some records that may match were not read. */
  readonly more: boolean;
}

interface WalkQuestion {
  readonly conditions: readonly Condition[];
  /** Tests exactly whether a record matches; the SQL conditions may let other records through. */
  readonly matches: (tx: ReadTx, row: LogRow) => Promise<boolean>;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  readonly most: number;
  /** Returns true if the search can stop before `limit` records are found. */
  readonly enough?: () => boolean;
  readonly onProgress?: (looked: number) => void;
}

/** The position in one log: the records that were read ahead, and the range of records that were not read yet. */
interface Cursor {
  readonly base: number;
  readonly low: number;
  high: number;
  ready: LogRow[];
  /** The time of the log's next record. */
  nextAt: string;
}

const nextTime = async (tx: ReadTx, { base, low, high }: Cursor): Promise<string> =>
  high > low ? ((await recordTime(tx, base + high - 1)) ?? '') : '';

const cursorOf = async (tx: ReadTx, log: LogInfo, { since, until }: WalkQuestion): Promise<Cursor> => {
  const low = since === undefined ? 0 : await recordsBefore(tx, log, since);
  const high = until === undefined ? log.size : await recordsBefore(tx, log, until);
  const cursor = { base: log.base, low, high, ready: [], nextAt: '' };
  return { ...cursor, nextAt: await nextTime(tx, cursor) };
};

const isLeft = ({ low, high, ready }: Cursor): boolean => ready.length > 0 || high > low;

/** The log whose next record is newest; records of one log keep their order, even if the clock stepped back. */
const newest = (cursors: readonly Cursor[]): Cursor | undefined =>
  cursors
    .filter(isLeft)
    .reduce<Cursor | undefined>((a, b) => (a === undefined || b.nextAt > a.nextAt ? b : a), undefined);

const readAhead = async (tx: ReadTx, cursor: Cursor, question: WalkQuestion, page: number): Promise<number> => {
  const { base, low, high } = cursor;
  const from = Math.max(low, high - page);
  const rows = await recordsBetween(tx, { from: base + from, to: base + high }, question.conditions);
  for (const row of rows.reverse()) if (await question.matches(tx, row)) cursor.ready.push(row);
  cursor.high = from;
  return high - from;
};

export const walkBack = async (tx: ReadTx, question: WalkQuestion): Promise<Walk> => {
  const { limit, most, enough = () => false, onProgress } = question;
  const cursors: Cursor[] = [];
  for (const log of await allLogs(tx)) cursors.push(await cursorOf(tx, log, question));
  const rows: LogRow[] = [];
  let looked = 0;
  let page: number = CLI_LIMITS.lookFirstPage;
  for (let at = newest(cursors); at !== undefined && rows.length < limit; at = newest(cursors)) {
    const row = at.ready.shift();
    if (row !== undefined) rows.push(row);
    else if (enough()) break;
    else if (looked >= most) return { rows, looked, stoppedAt: at.nextAt, more: true };
    else {
      looked += await readAhead(tx, at, question, Math.min(page, most - looked));
      page = Math.min(page * 2, CLI_LIMITS.lookPage);
      onProgress?.(looked);
    }
    at.nextAt = at.ready[0]?.at ?? (await nextTime(tx, at));
  }
  return { rows, looked, stoppedAt: undefined, more: cursors.some(isLeft) };
};

/** Splits a range of records into pages, newest first; pages grow up to a limit, so that a recent record is found fast. */
export function* pagesBack({ from, to }: Stretch): Generator<Stretch> {
  let size: number = CLI_LIMITS.lookFirstPage;
  for (let end = to; end > from; end -= size, size = Math.min(size * 2, CLI_LIMITS.lookPage)) {
    yield { from: Math.max(from, end - size), to: end };
  }
}

/** Finds the newest record of the given kind with the given members, among the last records of a log before an id. */
export const lastBefore = async (
  tx: ReadTx,
  { base }: LogInfo,
  id: number,
  kind: string,
  members: Readonly<Record<string, string>>,
): Promise<LogRow | undefined> => {
  const wanted = Object.entries(members);
  const conditions = [isKind([kind]), ...wanted.map(([key, value]) => hasMember(key, value))];
  for (const page of pagesBack({ from: Math.max(base, id - CLI_LIMITS.lookRecords), to: id })) {
    const found = (await recordsBetween(tx, page, conditions)).findLast(({ body }) => {
      const record = parseObject(body);
      return wanted.every(([key, value]) => record[key] === value);
    });
    if (found !== undefined) return found;
  }
  return undefined;
};
