// Tells which of two records was written first. In one log, their numbers tell. For records of two logs it is known only if a record
// (`beside`, `migrate`, `succeeds`, `restore`) says how long the other log was when that record was written. Times are never compared.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';

/**
 * Pairs of numbers, one pair each time that a record says how long another log was: the record's id, and the id of the other log's next
 * record.
 */
export type Sightings = Float64Array;

/** Whether the record with the first id is known to have been written before the record with the second id. */
export type Precedes = (one: number, other: number) => boolean;

/** The number of the log that a record is in. */
export const logNo = (record: number): number => Math.floor(record / RECORDS_PER_LOG);

interface Seen {
  readonly by: number;
  readonly end: number;
}

/** The index of the last entry of `list` that comes from the record `record` or an earlier one; -1 if there is none. */
const lastUpTo = (list: readonly Seen[], record: number): number => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.by ?? 0) <= record) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

export const orderOf = (sightings: Sightings): Precedes => {
  const lists = new Map<string, Seen[]>();
  for (let i = 0; i + 1 < sightings.length; i += 2) {
    const [by, end] = [sightings[i] ?? 0, sightings[i + 1] ?? 0];
    const key = `${logNo(by)} ${logNo(end - 1)}`;
    const list = lists.get(key) ?? [];
    list.push({ by, end });
    lists.set(key, list);
  }
  for (const list of lists.values()) list.sort((a, b) => a.by - b.by);
  return (one, other) => {
    if (logNo(one) === logNo(other)) return one < other;
    const list = lists.get(`${logNo(other)} ${logNo(one)}`) ?? [];
    return (list[lastUpTo(list, other)]?.end ?? 0) > one;
  };
};
