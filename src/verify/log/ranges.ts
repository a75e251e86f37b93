// A set of ranges of record numbers, merged where they touch, so that thousands of ranges and lookups stay fast.
export interface Ranges {
  /** Adds the record numbers from `from` to `to`, both included. */
  add(from: number, to: number): void;
  /** Whether every record number from `from` to `to`, both included, is in the set. */
  covers(from: number, to: number): boolean;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const joined = (ranges: readonly Range[]): Range[] => {
  const all: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && range.from <= last.to + 1)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else all.push(range);
  }
  return all;
};

/** The last range that begins at or before a record number. */
const lastUpTo = (ranges: readonly Range[], place: number): Range | undefined => {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? Number.POSITIVE_INFINITY) <= place) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
};

export const newRanges = (): Ranges => {
  let told: Range[] = [];
  let isJoined = true;
  return {
    add: (from, to) => {
      told.push({ from, to });
      isJoined = false;
    },
    covers: (from, to) => {
      if (!isJoined) told = joined(told);
      isJoined = true;
      return to <= (lastUpTo(told, from)?.to ?? Number.NEGATIVE_INFINITY);
    },
  };
};
