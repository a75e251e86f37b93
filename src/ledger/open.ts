// Opens the log of this node (machine and user): migrates the schema, finds the signing key, and creates or continues the log. A store may
// hold many logs, but only one open log per node.
import { ColibriError } from '../errors.js';
import type { LedgerRecord } from '../proof/records.js';
import type { MigrationStep, Store, Tx } from '../store/store.js';
import { assertBound, type Site } from './binding.js';
import { FORMAT, readHead } from './head.js';
import type { Heads } from './heads.js';
import { identify, inParts, logStandings, renewStoreId } from './identity.js';
import { type KeyRing, type LogKey, withSpareKey } from './keys.js';
import { append } from './ledger.js';
import { assertNothingLost, openLogs } from './lost-logs.js';
import { type OwnLog, ownLogOf } from './own-log.js';
import { rootOf } from './tree.js';

export interface OpenLogOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly heads: Heads;
  /** The place of the store's file; undefined for a store that has no lasting path, such as one in memory. */
  readonly site?: Site | undefined;
  /**
   * The name of the machine and user that run this process. A process opens only the log of its own node; if the key of that log is not
   * found, the key counts as lost.
   */
  readonly node: string;
  readonly now: () => string;
  /** Changes rows after a migration, and records what it changed; runs in the migration's transaction. */
  readonly convert?: Convert;
}

export type Convert = (tx: Tx, log: OwnLog, at: string, steps: readonly MigrationStep[]) => Promise<void>;

export const openLogOf = async (tx: Pick<Tx, 'get'>, node: string): Promise<string | undefined> =>
  (await tx.get<{ log_id: string }>('SELECT log_id FROM logs WHERE node = ? AND closed_at IS NULL', node))?.log_id;

interface Owner {
  readonly keys: KeyRing;
  readonly node: string;
  readonly at: string;
  readonly heads: Heads;
}

export const insertLog = async (tx: Tx, key: LogKey, { node, at, heads }: Owner): Promise<void> => {
  const taken = await tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId);
  if (taken !== undefined) {
    throw new ColibriError('STORE_UNAVAILABLE', `key ${key.logId} already signs another log of this store`, {
      remedy: 'Point COLIBRI_KEY_FILE at another key, or leave it unset.',
    });
  }
  if (heads.largest(key.logId) > 0) {
    throw new ColibriError('STORE_UNAVAILABLE', `key ${key.logId} has signed a log that is not in this store`, {
      remedy: 'A key is for one store only: put the store of the key back, or point COLIBRI_KEY_FILE at a new file.',
    });
  }
  await tx.run(
    `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at) VALUES (?, ?, ?, ?, 0, '', ?)`,
    key.logId,
    node,
    key.publicKey,
    FORMAT,
    at,
  );
};

interface Succession extends Owner {
  readonly previous: string;
}

/** Closes a log and opens its successor, whose first record says how the closed log ended. */
export const succeed = async (
  tx: Tx,
  succession: Succession,
  key: LogKey,
  record: (end: { previous: string; size: number; root: string }) => LedgerRecord,
): Promise<string> => {
  const { previous, at } = succession;
  const { size, frontier } = await readHead(tx, previous);
  // The closed log needs no MAC: its successor's first record names its size and root. If its key is lost, nobody could check a MAC.
  await tx.run('UPDATE logs SET closed_at = ?, head_mac = NULL WHERE log_id = ?', at, previous);
  await insertLog(tx, key, succession);
  await append(tx, ownLogOf(succession.keys, key.logId), [
    { at, record: record({ previous, size, root: rootOf(frontier) }) },
  ]);
  return key.logId;
};

interface Writer {
  readonly pid: number;
  readonly alive: boolean;
}

/** The processes that write a log: living ones, and dead ones with calls for which no outcome has been recorded yet. */
export const writersOf = async (tx: Tx, { store }: OpenLogOptions, log: string): Promise<readonly Writer[]> => {
  const rows = await tx.all<{ instance: string; pid: number }>(
    'SELECT instance, pid FROM instances WHERE log_id = ?',
    log,
  );
  const writers: Writer[] = [];
  for (const { instance, pid } of rows) writers.push({ pid, alive: await store.instances.isAlive(instance) });
  return writers;
};

/** Throws if a living process writes the log: then the log's key is not lost, only not found by this process. */
const assertNoLivingWriter = async (tx: Tx, options: OpenLogOptions, log: string): Promise<void> => {
  const living = (await writersOf(tx, options, log)).find(({ alive }) => alive);
  if (living === undefined) return;
  throw new ColibriError(
    'STORE_UNAVAILABLE',
    `process ${living.pid} writes log ${log} with a key that is not found here.`,
    {
      remedy: `Give this process and process ${living.pid} the same COLIBRI_KEY_FILE and state directory, or stop process ${living.pid}.`,
    },
  );
};

/**
 * Throws if the log's first record says that the loss of records was accepted, but the log has no signed head. A process that records such an
 * acceptance signs it at once, so somebody else put that log into the store.
 */
const assertAcceptedHere = async (tx: Tx, heads: Heads, log: string): Promise<void> => {
  const { base } = await readHead(tx, log);
  const first = await tx.get<{ kind: string }>('SELECT kind FROM actions WHERE id = ?', base);
  if (first?.kind !== 'restore' || heads.largest(log) > 0) return;
  throw new ColibriError('STORE_CORRUPT', `log ${log} says that a loss was accepted, but that was never signed here.`, {
    remedy: 'colibri verify says what is missing. Put the right store back.',
  });
};

/**
 * The open log of this node, or a new one with the key from `spare`. A log whose key is gone is closed and gets a successor, and so does
 * a log that came with an accepted copy: that log is continued in the original store.
 */
export const claimLog = async (tx: Tx, options: OpenLogOptions, spare: () => LogKey): Promise<string> => {
  const { keys, heads, node, now } = options;
  const open = await openLogOf(tx, node);
  const written = await openLogs(tx, heads);
  const isOurs = written.some(({ log_id }) => log_id === open) && open !== undefined && keys.find(open) !== undefined;
  if (open !== undefined && !isOurs) await assertAcceptedHere(tx, heads, open);
  await assertNothingLost(tx, options);
  if (isOurs) return open;
  const owner = { keys, node, at: now(), heads };
  if (open !== undefined) {
    await assertNoLivingWriter(tx, options, open);
    return succeed(tx, { ...owner, previous: open }, spare(), (end) => ({ kind: 'succeeds', ...end }));
  }
  const key = spare();
  await insertLog(tx, key, owner);
  return key.logId;
};

/** The first version of the schema in which a store has an id. */
const BOUND_FORMAT = 5;

/** Whether a store has an id after this step of a migration, and had none before it. */
const isBindingStep = ({ from, to }: MigrationStep): boolean => from < BOUND_FORMAT && to >= BOUND_FORMAT;

/** Records the migrations. The one that gives the store its id names all older logs, since their first records do not name that id. */
const recordMigrations = async (
  tx: Tx,
  steps: readonly MigrationStep[],
  options: OpenLogOptions,
  spare: () => LogKey,
): Promise<void> => {
  const isBinding = steps.some(isBindingStep);
  // Logs that do not fit into the `migrate` record are named by the first `beside` records of the log that this machine and user write; `beside` records name the other logs of the store.
  const [logs] = isBinding ? inParts(await logStandings(tx)) : [];
  const binding = isBinding ? { store: await renewStoreId(tx), ...(logs && { logs }) } : {};
  const log = await claimUsable(tx, options, spare);
  const at = options.now();
  const records = steps.map((step) => ({ kind: 'migrate', ...step, ...(isBindingStep(step) && binding) }) as const);
  await append(
    tx,
    log,
    records.map((record) => ({ at, record })),
  );
  await options.convert?.(tx, log, at, steps);
};

/** Checks that records may be appended to the store, and returns the log of this node, which is created if needed. */
const claimUsable = async (tx: Tx, options: OpenLogOptions, spare: () => LogKey): Promise<OwnLog> => {
  await identify(tx);
  await assertBound(tx, options.heads, options.site);
  return ownLogOf(options.keys, await claimLog(tx, options, spare));
};

/**
 * Migrates the store, records each migration in the log of this node, and returns that log. `first` writes the first records of this process
 * in the transaction that may create the log, so that a log is never empty.
 */
export const openLog = (options: OpenLogOptions, first: (tx: Tx, log: OwnLog) => Promise<void>): Promise<OwnLog> =>
  withSpareKey(options, async (spare) => {
    const { store } = options;
    await store.migrate((tx, steps) => recordMigrations(tx, steps, options, spare));
    return store.write(async (tx) => {
      const log = await claimUsable(tx, options, spare);
      await first(tx, log);
      return log;
    });
  });
