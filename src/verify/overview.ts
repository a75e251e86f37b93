// Checks the store as a whole in one read transaction: its schema, its logs with the sizes that this verification uses, and rows that
// belong to no log or to no record.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { TILE_LEVEL } from '../ledger/stored-tree.js';
import { type JsonObject, parsedObject } from '../proof/canonical-json.js';
import type { StoredAcceptance } from './accepted.js';
import { checkIdentity } from './log/binding-check.js';
import { bodyAt } from './log/ledger-repository.js';
import {
  acceptancesIn,
  countCheckpointsOutside,
  countPayloadsOutside,
  countRecords,
  countStrayBesides,
  lastRecord,
  logsNamedIn,
  logsOf,
  type StoredLog,
  storeIds,
  tileCounts,
} from './overview-repository.js';
import type { StoreReader, StoreReading } from './reading.js';
import { NEWEST } from './schema-check.js';
import { addFinding, type Found, guarded, nothingFound } from './verdict/finding-list.js';

/** The row of a log in the store, after the types of its columns were checked. */
export interface LogState {
  readonly log: string;
  readonly base: number;
  readonly node: string;
  readonly publicKey: string;
  /** The number of records that the log has according to its row. */
  readonly size: number;
  /** The number of records that are checked: `size`, or less if the store holds fewer records of the log. */
  readonly walked: number;
  readonly frontier: string;
  readonly openedAt: string;
  readonly closedAt: string | null;
  /** The MAC of the log's head; null before the log's first record of format 5, and after the log was closed. */
  readonly headMac: string | null;
  /** The body of the log's first record; undefined if it is not a valid JSON object. */
  readonly first: JsonObject | undefined;
}

export interface Overview {
  /** Why this file cannot be verified: it is not a Colibri store or has another version. Undefined if it can be verified. */
  readonly unreadable?: string;
  /** The format of the store, if it is newer than this version knows: only records, tree and signatures can be checked. */
  readonly newer?: number | undefined;
  readonly found: Found;
  readonly logs: readonly LogState[];
  /** The id of the store; undefined if it does not have exactly one. */
  readonly storeId?: string | undefined;
  readonly acceptances: readonly StoredAcceptance[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const firstOf = (tx: StoreReading, base: number): JsonObject | undefined => parsedObject(bodyAt(tx, base));

/** Checks a row of the table of logs and returns what it says about the log; an empty list if the row is invalid. */
const logOf = (tx: StoreReading, row: StoredLog, isNewer: boolean, found: Found): LogState[] => {
  const {
    no,
    log_id: log,
    node,
    public_key: publicKey,
    size,
    frontier,
    opened_at: openedAt,
    closed_at,
    head_mac,
  } = row;
  const where = { log: String(log), table: 'logs' };
  const texts = [log, node, publicKey, frontier, openedAt, closed_at ?? '', head_mac ?? ''];
  if (
    !isCount(no) ||
    no === 0 ||
    !Number.isSafeInteger(no * RECORDS_PER_LOG) ||
    !isCount(size) ||
    !texts.every(isText)
  ) {
    addFinding(found, 'log', where, 'The row holds values that Colibri never stores.');
    return [];
  }
  if (row.format !== NEWEST && !isNewer) addFinding(found, 'log', where, `The format of the log is not ${NEWEST}.`);
  const base = no * RECORDS_PER_LOG;
  const last = lastRecord(tx, base, base + RECORDS_PER_LOG);
  const present = last === null ? 0 : last - base + 1;
  if (present !== size)
    addFinding(found, 'tree', where, `The row of the log says ${size} records; the store has ${present}.`);
  const state = {
    log: String(log),
    base,
    node: String(node),
    publicKey: String(publicKey),
    size,
    walked: Math.min(size, present),
    frontier: String(frontier),
    openedAt: String(openedAt),
    closedAt: closed_at === null ? null : String(closed_at),
    headMac: head_mac === null ? null : String(head_mac),
    first: firstOf(tx, base),
  };
  return [state];
};

/** Reports records whose ids belong to no log. */
const checkStrayRecords = (tx: StoreReading, logs: readonly LogState[], found: Found): void => {
  const starts = logs.map(({ base }) => base);
  const ends = logs.map(({ base, size }) => base + size);
  const [least, end] = tx.engine.idRange;
  for (const [i, from] of [least, ...ends].entries()) {
    const count = countRecords(tx, from, starts[i] ?? end);
    const where = { table: 'actions', ...(logs[i - 1] && { log: logs[i - 1]?.log ?? '' }) };
    if (count > 0) addFinding(found, 'record', where, `${count} records belong to no log.`);
  }
};

const checkStrayTiles = (tx: StoreReading, { log, size }: LogState, found: Found): void => {
  for (const { level, n } of tileCounts(tx, log)) {
    const most = isCount(level) && level >= TILE_LEVEL ? Math.floor(size / 2 ** level) : 0;
    const where = { log, table: 'tiles', id: String(level) };
    if (n > most) addFinding(found, 'tree', where, `${n} nodes are stored for a tree level that can have ${most}.`);
  }
};

const checkStrays = (tx: StoreReading, log: LogState, found: Found): void => {
  const payloads = countPayloadsOutside(tx, log.log, log.size);
  const where = { log: log.log, table: 'payloads' };
  if (payloads > 0) addFinding(found, 'payload', where, `${payloads} rows of stored arguments belong to no record.`);
  const notes = countCheckpointsOutside(tx, log.log, log.size);
  if (notes > 0) {
    const at = { log: log.log, table: 'checkpoints' };
    addFinding(found, 'checkpoint', at, `${notes} checkpoints are of a size that the log never had.`);
  }
  checkStrayTiles(tx, log, found);
};

const checkNames = (tx: StoreReading, logs: readonly LogState[], found: Found): void => {
  const known = new Set<unknown>(logs.map(({ log }) => log));
  for (const [table, kind] of [
    ['payloads', 'payload'],
    ['tiles', 'tree'],
    ['checkpoints', 'checkpoint'],
  ] as const) {
    guarded(found, kind, { table }, () => {
      for (const log of logsNamedIn(tx, table)) {
        if (!known.has(log))
          addFinding(found, kind, { log: String(log), table }, 'Rows belong to a log that is not in the store.');
      }
    });
  }
};

const checkRows = (tx: StoreReading, logs: readonly LogState[], found: Found): void => {
  guarded(found, 'file', { table: 'actions' }, () => checkStrayRecords(tx, logs, found));
  for (const log of logs) guarded(found, 'file', { log: log.log }, () => checkStrays(tx, log, found));
  checkNames(tx, logs, found);
};

const readBinding = (tx: StoreReading, found: Found): Pick<Overview, 'storeId' | 'acceptances'> => {
  const acceptances: StoredAcceptance[] = [];
  let storeId: string | undefined;
  guarded(found, 'file', { table: 'identity' }, () => {
    storeId = checkIdentity(storeIds(tx), found);
    acceptances.push(...acceptancesIn(tx));
    const strays = countStrayBesides(tx);
    // If a person accepted that a log is missing, rows that name the log may be left.
    if (strays > 0 && acceptances.length === 0)
      addFinding(found, 'derived', { table: 'beside' }, `${strays} rows name a log that is not in the store.`);
  });
  return { storeId, acceptances };
};

const look = (tx: StoreReading): Overview => {
  const found = nothingFound();
  const { unreadable, newer } = tx.engine.firstLook(tx);
  if (unreadable !== undefined) return { unreadable, found, logs: [], acceptances: [] };
  const isNewer = newer !== undefined;
  if (!isNewer) tx.engine.checkSchema(tx, found);
  const rows: StoredLog[] = [];
  guarded(found, 'log', { table: 'logs' }, () => rows.push(...logsOf(tx)));
  if (rows.length === 0) addFinding(found, 'log', { table: 'logs' }, 'The store has no log.');
  const logs: LogState[] = [];
  for (const row of rows) {
    guarded(found, 'file', { log: String(row.log_id) }, () => logs.push(...logOf(tx, row, isNewer, found)));
  }
  if (logs.length === rows.length && !isNewer) checkRows(tx, logs, found);
  return { newer, found, logs, ...readBinding(tx, isNewer ? nothingFound() : found) };
};

export const checkOverview = (reader: StoreReader): Overview => reader.snapshot(look);

/** The ids of all logs in the store. Empty if the table of logs is missing, which the schema check reports. */
export const logNames = (reader: StoreReader): string[] => {
  const names: string[] = [];
  guarded(nothingFound(), 'log', {}, () => {
    for (const { log_id: log } of reader.snapshot(logsOf)) {
      if (isText(log) && /^[0-9a-f]{32}$/.test(log)) names.push(log);
    }
  });
  return names;
};
