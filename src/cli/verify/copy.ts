// `colibri verify --copy`: checks an older copy of a store against the signed heads that are not newer than the copy. Newer heads
// do not contradict a copy, so the check cannot tell whether the store was rolled back, and the verdict says so.
import { count, figure } from '../../core/figures.js';
import { headsOfFolder } from '../../verify/heads/heads.js';
import type { Verdict } from '../../verify/verdict/verdict.js';
import { readingStore } from '../access.js';
import type { StoreAt } from '../place.js';
import { allLogs } from '../records/record-repository.js';

interface Newer {
  readonly log: string;
  readonly size: number;
  /** How many records the log's newest signed head covers. */
  readonly signed: number;
}

/** The signed heads that are known outside the copy. */
export interface CopyHeads {
  /** The signed notes of the heads that are not newer than the copy. */
  readonly heads: readonly string[];
  readonly newer: readonly Newer[];
}

export const headsOfCopy = async (at: StoreAt): Promise<CopyHeads> => {
  const logs = await readingStore(at, (store) => store.read(allLogs));
  const sizes = new Map(logs.map(({ log_id, size }) => [log_id, size]));
  const { notes } = headsOfFolder(at.headsDir, [...sizes.keys()]);
  const isOfCopy = ({ named }: (typeof notes)[number]): boolean =>
    named !== undefined && named.size <= (sizes.get(named.log) ?? 0);
  const signedOf = (log: string): number =>
    Math.max(0, ...notes.map(({ named }) => (named?.log === log ? named.size : 0)));
  return {
    heads: notes.filter(isOfCopy).map(({ note }) => note),
    newer: [...sizes]
      .map(([log, size]) => ({ log, size, signed: signedOf(log) }))
      .filter(({ size, signed }) => signed > size),
  };
};

/** Adds to a verdict how many signed records the copy lacks. `given`: true if the user also gave heads. */
export const asCopy = (verdict: Verdict, { heads, newer }: CopyHeads, at: StoreAt, given: boolean): Verdict => ({
  ...verdict,
  ...(heads.length > 0 && {
    custody: {
      ...verdict.custody,
      heads: `${given ? 'those that the user gave, and ' : ''}those not newer than the copy, from the folder ${at.headsDir}`,
    },
  }),
  remarks: [
    ...verdict.remarks,
    ...newer.map(
      ({ log, size, signed }) =>
        `The store is an older copy: ${count(signed, 'record')} of log ${log} were signed, ${figure(size)} of them are in it.`,
    ),
  ],
  not_checked: [
    ...verdict.not_checked,
    'Heads that are newer than the copy (--copy): whether the store went back was not checked.',
  ],
});
