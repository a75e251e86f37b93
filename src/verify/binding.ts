// Adds contradictions between the store and the signed heads outside it to the verdict: logs that are gone, another store that was at
// this path before, a second file with the same store; and which of these a person has accepted.
import { asError } from '../errors.js';
import { type Binding, bindingOf, copyText, earlierStoreText } from '../ledger/binding.js';
import { headsIn } from '../ledger/heads.js';
import type { JsonObject } from '../proof/canonical-json.js';
import { surroundingsOf } from '../store/sqlite/other-store.js';
import type { ReadTx, Row } from '../store/store.js';
import { copiesIn, MOVED_HERE } from './accepted.js';
import { standingsIn } from './log/beside-check.js';
import { vouching } from './log/vouched.js';
import { reasonIn } from './missing.js';
import type { StoreReader, StoreSource } from './reading.js';
import type { Survey } from './survey.js';
import type { Missing } from './verdict/finding.js';
import { addFound, type Found, foundOf, nothingFound } from './verdict/finding-list.js';
import type { UnsignedTail } from './verdict/verdict.js';

export interface BindingQuestion {
  /** The folder with the signed heads. */
  readonly dir: string;
  readonly host?: string;
}

/**
 * Lets code of the ledger read through `reader`. Each query has its own snapshot; that does no harm, since heads are read first and a
 * store only grows.
 */
const asReadTx = (reader: StoreReader): ReadTx => ({
  get: async <T extends Row>(sql: string, ...params: (string | number | null)[]) =>
    reader.snapshot((tx) => tx.get<T>(sql, ...params)),
  all: async <T extends Row>(sql: string, ...params: (string | number | null)[]) =>
    reader.snapshot((tx) => tx.all<T>(sql, ...params)),
});

/** The place of a store that a database server keeps: it has no file, so no copy of its file and no backup can be beside it. */
const serverSurroundings = (path: string) => ({ path, storeIdAt: () => undefined, backups: () => [] });

/** Compares the store with its signed heads. Returns a message instead if the heads folder or the store cannot be read. */
export const checkStoreBinding = async (
  reader: StoreReader,
  { path, url }: StoreSource,
  { dir, host }: BindingQuestion,
): Promise<Binding | string> => {
  const around = url === undefined ? surroundingsOf(path) : serverSurroundings(path);
  const site = host === undefined ? undefined : { ...around, host };
  try {
    return await bindingOf(asReadTx(reader), headsIn(dir), site);
  } catch (thrown) {
    return asError(thrown).message;
  }
};

const missingFindings = ({ missing }: Binding): Found =>
  foundOf(
    missing.map(({ log, size }) => ({
      kind: 'binding',
      where: { log },
      message: `${size} records of this log were signed, and the log is not in the store.`,
      signed: size,
    })),
  );

const acceptedMissing = (records: readonly JsonObject[]): Missing[] =>
  records
    .filter(({ what }) => what === 'missing log')
    .flatMap((record) =>
      standingsIn(record).map(({ log, size }) => ({
        kind: 'missing log',
        count: size,
        message: `Log ${log} is not in the store; a person accepted that: ${reasonIn(record)}.`,
      })),
    );

const REMARKS: Readonly<Record<string, string>> = {
  copy: 'The store is a copy of another one; a person accepted it as a separate store',
  'begun anew': 'Another store was at this path before and is gone; a person accepted that',
};

const acceptedRemarks = (records: readonly JsonObject[]): string[] =>
  records.flatMap((record) => {
    const said = REMARKS[String(record.what)];
    if (record.what === MOVED_HERE) return [`Logs came here with store ${String(record.from)}, which was moved.`];
    return said === undefined ? [] : [`${said}: ${reasonIn(record)}.`];
  });

const UNVOUCHED: Readonly<Record<string, Missing['kind']>> = {
  copy: 'lost key',
  [MOVED_HERE]: 'lost key',
  'begun anew': 'begun anew',
};

/**
 * The accepted copies and new beginnings that only a log without a key here records: whoever can write the store and the heads folder could
 * have begun that log.
 */
const unvouched = (records: readonly JsonObject[], isVouched: (log: unknown) => boolean): Missing[] =>
  records
    .filter(({ log }) => !isVouched(log))
    .flatMap(({ log, what }) => {
      const kind = UNVOUCHED[String(what)];
      const said =
        what === MOVED_HERE ? 'that a store was moved here' : `that a person accepted this (${String(what)})`;
      const message = `Log ${String(log)} says ${said}; its key is not here, so anybody could have written that.`;
      return kind === undefined ? [] : [{ kind, message }];
    });

export interface BindingVerdict {
  readonly found: Found;
  readonly missing: readonly Missing[];
  readonly remarks: readonly string[];
}

export const bindingVerdict = (
  { binding, walks, accepted: { records } }: Survey,
  unsigned: readonly UnsignedTail[],
): BindingVerdict => {
  const found = nothingFound();
  if (binding !== undefined) addFound(found, missingFindings(binding));
  const earlier = binding && earlierStoreText(binding);
  return {
    found,
    missing: [
      ...acceptedMissing(records),
      ...unvouched(records, vouching(walks, unsigned, copiesIn(records))),
      ...(earlier === undefined ? [] : [{ kind: 'begun anew', message: earlier } as const]),
    ],
    remarks: [...acceptedRemarks(records), ...(binding?.copyOf === undefined ? [] : [copyText(binding.copyOf)])],
  };
};
