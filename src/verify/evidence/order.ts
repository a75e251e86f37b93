// The order of records. Inside a log it is their place. Between logs it is known only where a record says how long another log was when
// it was written (`beside`, `migrate`, `succeeds`, `restore`); elsewhere two records have no order. Times are never compared.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';

/** A record that says how long another log was: two numbers, its own id and the id that the other log's next record would get. */
export type Sightings = Float64Array;

/** Whether the record with the first id is known to have been written before the record with the second id. */
export type Precedes = (one: number, other: number) => boolean;

const logNo = (record: number): number => Math.floor(record / RECORDS_PER_LOG);

interface Seen {
  readonly by: number;
  readonly end: number;
}

/** The index of the last sighting in a record up to `record`; -1 if there is none. */
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
