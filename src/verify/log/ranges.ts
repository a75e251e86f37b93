// A set of ranges of record numbers, merged where they touch, so that thousands of ranges and lookups stay fast.
export interface Ranges {
  /** Adds the record numbers from `from` to `to`, both included. */
  add(from: number, to: number): void;
  /** Whether every record number from `from` to `to`, both included, is in the set. */
  covers(from: number, to: number): boolean;
  /** The record numbers from `from` to `to`, both included, that are not in the set, as ranges. */
  gaps(from: number, to: number): readonly RecordRange[];
}

export interface RecordRange {
  readonly from: number;
  readonly to: number;
}

const joined = (ranges: readonly RecordRange[]): RecordRange[] => {
  const all: RecordRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && range.from <= last.to + 1)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else all.push(range);
  }
  return all;
};

/** The last range that begins at or before a record number. */
const lastUpTo = (ranges: readonly RecordRange[], place: number): RecordRange | undefined => {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? Number.POSITIVE_INFINITY) <= place) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
};

const gapsIn = (ranges: readonly RecordRange[], { from, to }: RecordRange): RecordRange[] => {
  const gaps: RecordRange[] = [];
  let next = from;
  for (const range of ranges) {
    if (range.to < next || range.from > to) continue;
    if (range.from > next) gaps.push({ from: next, to: range.from - 1 });
    next = range.to + 1;
  }
  if (next <= to) gaps.push({ from: next, to });
  return gaps;
};

export const newRanges = (): Ranges => {
  let told: RecordRange[] = [];
  let isJoined = true;
  const all = (): readonly RecordRange[] => {
    if (!isJoined) told = joined(told);
    isJoined = true;
    return told;
  };
  return {
    add: (from, to) => {
      told.push({ from, to });
      isJoined = false;
    },
    covers: (from, to) => to <= (lastUpTo(all(), from)?.to ?? Number.NEGATIVE_INFINITY),
    gaps: (from, to) => gapsIn(all(), { from, to }),
  };
};
