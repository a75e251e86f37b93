// Compares a store with its heads: copies of signed checkpoints, kept outside the store with the id of the store that they belong to. So heads
// show that a log was taken out, that a store was deleted and begun anew, or that it is a copy, which would continue the same logs twice.
import { ADOPTED_WITHIN, RECORDS_PER_LOG } from '../core/record-ids.js';
import { ColibriError } from '../errors.js';
import { parsedObject } from '../proof/canonical-json.js';
import { readCheckpoint } from '../proof/checkpoint.js';
import type { AcceptRecord, LogStanding } from '../proof/records.js';
import type { ReadTx, Store } from '../store/store.js';
import { type Heads, signedSize } from './heads.js';
import type { KnownHome } from './homes.js';
import { storeIdOf } from './identity.js';
import { LEDGER_LIMITS } from './limits.js';
import { rootOf } from './tree.js';

/** The place of the store that this process uses, and functions that look at other files. */
export interface Site {
  /** The path of the store's file, without links. */
  readonly path: string;
  readonly host: string;
  /** The id of the store in another file; undefined if there is no such file, or it has no id. */
  readonly storeIdAt: (path: string) => string | undefined;
  /** The paths of the backups beside the store, newest first. */
  readonly backups: () => readonly string[];
}

export interface Binding {
  /** Logs whose signed heads name this store, but which the store does not contain. */
  readonly missing: readonly LogStanding[];
  /** The ids of all such logs, also of those whose loss a person has accepted. */
  readonly gone: readonly string[];
  /** Logs of another store that was at this path before, as their newest heads describe them. */
  readonly before: readonly LogStanding[];
  /** If another store was at this path before, the backups beside the store, newest first: one may be a backup of the earlier store. */
  readonly backups: readonly string[];
  /** The path of another file with the same store id: then this file is a copy of that one. Undefined if there is none. */
  readonly copyOf: string | undefined;
  /** The ids of logs of this store whose heads belong to another store at another path: this store is a copy of that one. */
  readonly elsewhere: readonly string[];
}

/** The contradictions between store and heads that a person has accepted: for each kind, the ids of the logs that the `accept` records name. */
export type Accepted = Readonly<Record<AcceptRecord['what'], ReadonlySet<string>>>;

/** The records that name the logs of a store that was moved here. They are continued no more than those of a copy. */
export const adoptionsIn = (tx: ReadTx): Promise<{ log_id: string; seq: number; body: string }[]> =>
  tx.all(
    `SELECT a.log_id, a.seq, a.body FROM logs l JOIN actions a
       ON a.id >= l.no * ${RECORDS_PER_LOG} AND a.id < l.no * ${RECORDS_PER_LOG} + ${ADOPTED_WITHIN}
     WHERE a.kind = 'adopts' ORDER BY a.id`,
  );

/**
 * Reads the `accept` records of the store. A record counts only if a signed head covers it: Colibri signs at once when a person accepts
 * something, so it did not write an unsigned `accept` record.
 */
export const acceptedIn = async (tx: ReadTx, heads: Heads): Promise<Accepted> => {
  const accepted = { 'missing log': new Set<string>(), 'begun anew': new Set<string>(), copy: new Set<string>() };
  const rows = await tx.all<{ log_id: string; seq: number; body: string }>(
    "SELECT log_id, seq, body FROM actions WHERE kind = 'accept' ORDER BY id",
  );
  for (const { log_id, seq, body } of [...rows, ...(await adoptionsIn(tx))]) {
    if ((await signedSize(tx, heads, log_id)) <= seq) continue;
    const { what = 'copy', logs } = (parsedObject(body) ?? {}) as Partial<AcceptRecord>; // `adopts` has no `what`
    for (const { log } of logs ?? []) accepted[what]?.add(log);
  }
  return accepted;
};

/** The size and root of a log in its newest head. The log has no row in the store, so its public key is unknown and the signature is not checked. */
const signedStanding = (heads: Heads, log: string): LogStanding => {
  const { note = '' } = heads.newest(log, () => true) ?? {};
  const { size, root } = readCheckpoint(note.slice(0, note.indexOf('\n\n') + 1)) ?? { size: 0, root: rootOf([]) };
  return { log, size, root };
};

const copiedFrom = (
  own: readonly KnownHome[],
  storeId: string,
  { host, path, storeIdAt }: Site,
): string | undefined => {
  const paths = new Set(own.filter((home) => home.host === host && home.path !== path).map((home) => home.path));
  return [...paths].find((other) => storeIdAt(other) === storeId);
};

const isHere = ({ host, path }: KnownHome, site: Site | undefined): boolean =>
  host === site?.host && path === site.path;

/** Compares the store with its heads. `site` is undefined for a store that has no lasting path, such as one in memory. */
export const bindingOf = async (tx: ReadTx, heads: Heads, site: Site | undefined): Promise<Binding> => {
  // The heads are read before the logs: so a log that is created meanwhile, with its first head, is not reported as missing.
  const homes = heads.homes();
  const storeId = await storeIdOf(tx);
  const logs = await tx.all<{ log_id: string }>('SELECT log_id FROM logs');
  const present = new Set(logs.map(({ log_id }) => log_id));
  const accepted = await acceptedIn(tx, heads);
  // A folder without heads says nothing about a log: nothing of it was signed there.
  const absent = homes.filter(({ log }) => !present.has(log) && heads.largest(log) > 0);
  const missing = absent.filter((home) => home.storeId === storeId && !accepted['missing log'].has(home.log));
  const before = absent.filter(
    (home) => home.storeId !== storeId && isHere(home, site) && !accepted['begun anew'].has(home.log),
  );
  const own = homes.filter((home) => home.storeId === storeId && present.has(home.log));
  return {
    missing: missing.map(({ log }) => signedStanding(heads, log)),
    gone: absent.filter((home) => home.storeId === storeId).map(({ log }) => log),
    before: before.map(({ log }) => signedStanding(heads, log)),
    backups: before.length === 0 ? [] : (site?.backups() ?? []),
    copyOf: site && copiedFrom(own, storeId, site),
    elsewhere: homes
      .filter((home) => present.has(home.log) && home.storeId !== storeId && !isHere(home, site))
      .map(({ log }) => log),
  };
};

/** The logs of a store that was at a path where there is none now, found in the heads; and the backups there. */
export const goneFrom = (heads: Heads, site: Site): Pick<Binding, 'before' | 'backups'> => {
  const before = heads.homes().filter((home) => isHere(home, site));
  return { before: before.map(({ log }) => signedStanding(heads, log)), backups: site.backups() };
};

/** The message that another, signed store was at this path before; undefined if there was none. */
export const earlierStoreText = ({ before, backups }: Pick<Binding, 'before' | 'backups'>): string | undefined => {
  const [largest] = before.toSorted((a, b) => b.size - a.size);
  if (largest === undefined) return undefined;
  const more = before.length > 1 ? `, and ${before.length - 1} more,` : '';
  const named = backups.slice(0, LEDGER_LIMITS.namedBackups).join(', ');
  const beside = backups.length === 0 ? 'There is no backup beside this file.' : `Backups beside this file: ${named}.`;
  return `A log of ${largest.size} signed records (${largest.log})${more} was in another store at this path, which was deleted or replaced. ${beside}`;
};

export const copyText = (path: string): string =>
  `This file is a copy: the same store is at ${path}. A log is continued in one file only, so nothing is recorded here.`;

const copyError = (path: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', copyText(path), {
    remedy: `Use ${path}, or remove that file. To use both files: colibri accept-loss "<reason>" makes this copy a separate store.`,
    details: { path },
  });

const missingError = ({ log, size }: LogStanding, more: number): ColibriError =>
  new ColibriError(
    'STORE_ROLLED_BACK',
    `The store lacks log ${log}, of which ${size} records were signed${more > 0 ? `, and ${more} other signed logs` : ''}.`,
    {
      remedy:
        'A person must decide: put the newer store back, or accept the loss. colibri restore says what is missing.',
      details: { log, size: 0, known_size: size },
    },
  );

/** Where a store was moved to: what its last record says; undefined if it was not moved. */
export const movedTo = async (tx: ReadTx): Promise<{ readonly to: string; readonly place: string } | undefined> => {
  const row = await tx.get<{ body: string }>(
    `SELECT a.body FROM logs l JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + l.size - 1 WHERE a.kind = 'moved'`,
  );
  const { to, place } = parsedObject(row?.body) ?? {};
  return row === undefined ? undefined : { to: String(to), place: String(place) };
};

const movedError = (place: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `This store was moved to ${place}; nothing more is recorded here.`, {
    remedy: 'Use the store there: set COLIBRI_DATABASE_URL or COLIBRI_DB_PATH, or name it with --db.',
    details: { place },
  });

/** Throws if nothing may be appended to the store, because it was moved, is a copy or lacks a log that was signed. */
export const assertBound = async (tx: ReadTx, heads: Heads, site: Site | undefined): Promise<void> => {
  const moved = await movedTo(tx);
  if (moved !== undefined) throw movedError(moved.place);
  const { copyOf, missing } = await bindingOf(tx, heads, site);
  if (copyOf !== undefined) throw copyError(copyOf);
  const [first, ...others] = missing;
  if (first !== undefined) throw missingError(first, others.length);
};

/**
 * Writes, for each log of this store, the store's id and path into the folder of the log's heads. Called after a signature, so the store may be
 * appended to. Skips logs that came with an accepted copy, whose heads belong to the original store, and logs with a path on another machine.
 */
export const bindHeads = async (store: Store, heads: Heads, { path, host }: Site): Promise<void> => {
  const { storeId, logs, copied } = await store.read(async (tx) => ({
    storeId: await storeIdOf(tx),
    logs: await tx.all<{ log_id: string }>('SELECT log_id FROM logs'),
    copied: (await acceptedIn(tx, heads)).copy,
  }));
  const elsewhere = new Set(
    heads
      .homes()
      .filter((home) => home.storeId === storeId && home.host !== host)
      .map(({ log }) => log),
  );
  for (const { log_id: log } of logs) {
    const isOurs = !copied.has(log) && !elsewhere.has(log);
    if (isOurs && heads.largest(log) > 0) heads.bind(log, { storeId, path, host });
  }
};
