// colibri verify --copy: an older copy of a store, held against the heads that are not newer than it. That more was signed since
// is no fault of a copy; whether it went back is then not asked, and the verdict says so.
import { count, figure } from '../../core/figures.js';
import { headsOfFolder } from '../../verify/heads/heads.js';
import type { Verdict } from '../../verify/verdict/verdict.js';
import { readingStore } from '../access.js';
import type { StoreAt } from '../place.js';
import { logsLike } from '../records/record-repository.js';

interface Newer {
  readonly log: string;
  readonly size: number;
  /** The newest that was signed. */
  readonly signed: number;
}

/** What is known outside of a copy. */
export interface CopyHeads {
  /** Signed notes. */
  readonly heads: readonly string[];
  readonly newer: readonly Newer[];
}

export const headsOfCopy = async (at: StoreAt): Promise<CopyHeads> => {
  const logs = await readingStore(at, (store) => store.read((tx) => logsLike(tx, '')));
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

/** What a copy is older than. `given`: whether heads were handed in, too. */
export const asCopy = (verdict: Verdict, { heads, newer }: CopyHeads, at: StoreAt, given: boolean): Verdict => ({
  ...verdict,
  ...(heads.length > 0 && {
    custody: { ...verdict.custody, heads: `${given ? 'given, ' : ''}not newer than the copy: ${at.headsDir}` },
  }),
  remarks: [
    ...verdict.remarks,
    ...newer.map(
      ({ log, size, signed }) =>
        `It is an older copy: ${count(signed, 'record')} of log ${log} were signed, ${figure(size)} of them are in it.`,
    ),
  ],
  not_checked: [
    ...verdict.not_checked,
    'Heads that are newer than the copy (--copy): whether the store went back was not asked.',
  ],
});
