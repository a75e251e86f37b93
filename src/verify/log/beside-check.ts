// Checks records that name other logs of the store with their sizes and Merkle roots at that time. If a log was taken out, cut or
// replaced, such records in the other logs contradict the store.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { TILE_LEVEL } from '../../ledger/stored-tree.js';
import { grow, rootOf } from '../../ledger/tree.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { Frontier } from '../../proof/merkle.js';
import type { LogStanding } from '../../proof/records.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader, StoreSnapshot } from '../reading.js';
import type { Where } from '../verdict/finding.js';
import { addFinding, type Found, guarded, nothingFound } from '../verdict/finding-list.js';
import { besidesOf, leavesIn, logPlace, tileAt } from './ledger-repository.js';

/** A log that a record names, and that is missing in the store or has fewer records there than the record says. */
export interface Lacking extends LogStanding {
  /** The number of the record that names the log. */
  readonly seq: number;
  /** How many records of the log the store has; undefined if the log is missing. */
  readonly has: number | undefined;
}

/** What the records of one range say about other logs. */
export interface BesideNotes {
  /** How long each log was when a `beside` record named it last. */
  readonly named: Map<string, number>;
  /** For each log that is missing or too short, the largest size with which a record names it. */
  readonly lacking: Map<string, Lacking>;
  /** Merkle roots that were computed already, by log and size: most logs of a store are closed, and every new log names them again. */
  readonly roots: Map<string, string>;
}

export const noBesides = (): BesideNotes => ({ named: new Map(), lacking: new Map(), roots: new Map() });

const isStanding = (value: unknown): value is JsonObject & LogStanding =>
  isObject(value) &&
  /^[0-9a-f]{32}$/.test(String(value.log)) &&
  /^[0-9a-f]{64}$/.test(String(value.root)) &&
  Number.isSafeInteger(value.size) &&
  (value.size as number) >= 0;

/** The valid entries of a record's list of logs, each with a size and a root. */
export const standingsIn = ({ logs }: JsonObject): readonly LogStanding[] =>
  Array.isArray(logs) ? logs.filter(isStanding) : [];

/** Whether a record names logs that must be in this store. An `accept` record about missing logs names logs that were not in the store. */
const namesLogs = ({ kind, what, logs }: JsonObject): boolean =>
  kind === 'beside' ||
  (kind === 'migrate' && logs !== undefined) ||
  (kind === 'accept' && what === 'copy') ||
  kind === 'adopts';

/** The Merkle root over the first `size` records, from stored nodes and leaves, which are compared with the records elsewhere. */
const storedRoot = (tx: StoreSnapshot, log: string, base: number, size: number): string => {
  const nodes: unknown[] = [];
  let at = 0;
  for (let level = Math.floor(Math.log2(Math.max(1, size))); level >= TILE_LEVEL; level--) {
    if (at + 2 ** level > size) continue;
    nodes.push(tileAt(tx, log, level, at / 2 ** level));
    at += 2 ** level;
  }
  let rest: Frontier = [];
  for (const [i, leaf] of leavesIn(tx, base + at, base + size).entries()) rest = grow(rest, i, String(leaf)).frontier;
  return rootOf([...nodes.map(String), ...rest]);
};

const rootFor = (tx: StoreSnapshot, { roots }: BesideNotes, log: string, base: number, size: number): string => {
  const key = `${log}/${size}`;
  const root = roots.get(key) ?? storedRoot(tx, log, base, size);
  if (roots.size >= VERIFY_LIMITS.besideRoots) roots.clear();
  roots.set(key, root);
  return root;
};

interface RecordAt extends Where {
  readonly log: string;
  readonly seq: number;
}

const checkOne = (tx: StoreSnapshot, notes: BesideNotes, named: LogStanding, where: RecordAt, found: Found): void => {
  const { log, size, root } = named;
  const place = logPlace(tx, log);
  if (place === undefined || place.size < size) {
    if ((notes.lacking.get(log)?.size ?? -1) < size)
      notes.lacking.set(log, { log, size, root, seq: where.seq, has: place?.size });
  } else if (rootFor(tx, notes, log, place.no * RECORDS_PER_LOG, size) !== root) {
    addFinding(
      found,
      'binding',
      where,
      `The record names log ${log} with another root over its first ${size} records.`,
    );
  }
};

/** Checks the logs that a record names, if it names any. */
export const checkBeside = (
  tx: StoreSnapshot,
  notes: BesideNotes,
  body: JsonObject,
  where: RecordAt,
  found: Found,
): void => {
  if (!namesLogs(body)) return;
  const logs = standingsIn(body);
  if (!Array.isArray(body.logs) || logs.length !== body.logs.length) {
    addFinding(found, 'binding', where, 'The record names logs in a form that Colibri never writes.');
  }
  const ids = logs.map(({ log }) => log);
  if (body.kind === 'beside' && (ids.includes(where.log) || new Set(ids).size < ids.length)) {
    addFinding(found, 'binding', where, 'The record names its own log, or a log twice.');
  }
  for (const named of logs) {
    checkOne(tx, notes, named, where, found);
    if (body.kind === 'beside') notes.named.set(named.log, named.size);
  }
};

export interface BesideRowsJob {
  readonly log: string;
  readonly walked: number;
  readonly named: ReadonlyMap<string, number>;
}

/**
 * Compares the rows of the table `beside` for one log with the log's `beside` records, from which the rows follow. A log that grew
 * meanwhile is skipped, since newer records may name more.
 */
export const checkBesideRows = (reader: StoreReader, { log, walked, named }: BesideRowsJob): Found => {
  const found = nothingFound();
  const where = { log, table: 'beside' };
  guarded(found, 'derived', where, () => {
    const isSame = reader.snapshot((tx) => {
      if (logPlace(tx, log)?.size !== walked) return true;
      const stored = new Map(besidesOf(tx, log).map(({ log_id, size }) => [log_id, size]));
      return (
        [...stored].every(([other, size]) => named.get(other) === size) &&
        [...named].every(([other, size]) => stored.get(other) === size || logPlace(tx, other) === undefined)
      );
    });
    if (!isSame) addFinding(found, 'derived', where, "The rows do not agree with the log's records.");
  });
  return found;
};
