// Opening this node's log: schema, key, the log's row. A store has many logs, one open log per machine and user.
import { ColibriError } from '../errors.js';
import type { Store, Tx } from '../store/store.js';
import { originOf, verifierOf, vkeyOf } from './checkpoint.js';
import type { Heads } from './heads.js';
import type { KeyRing, LogKey } from './keys.js';
import { append, FORMAT, readHead } from './ledger.js';
import { rootOf } from './merkle.js';
import type { LedgerRecord } from './records.js';
import { assertNotRolledBack, lostHead } from './signer.js';

export interface OpenLogOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly heads: Heads;
  /** Machine and user: a process opens its own node's log, and only that one can count as lost. */
  readonly node: string;
  readonly now: () => string;
}

export const openLogOf = async (tx: Pick<Tx, 'get'>, node: string): Promise<string | undefined> =>
  (await tx.get<{ log_id: string }>('SELECT log_id FROM logs WHERE node = ? AND closed_at IS NULL', node))?.log_id;

const insertLog = async (tx: Tx, key: LogKey, node: string, at: string): Promise<void> => {
  const taken = await tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId);
  if (taken !== undefined) {
    throw new ColibriError('STORE_UNAVAILABLE', `key ${key.logId} already signs another log of this store`, {
      remedy: 'Point COLIBRI_KEY_FILE at a key of its own, or leave it unset.',
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

interface Succession {
  readonly node: string;
  readonly previous: string;
  readonly at: string;
}

/** Closes a log and opens the next, whose first record says how the one before it ended. */
const succeed = async (
  tx: Tx,
  { node, previous, at }: Succession,
  key: LogKey,
  record: (end: { previous: string; size: number; root: string }) => LedgerRecord,
): Promise<string> => {
  const { size, frontier } = await readHead(tx, previous);
  await tx.run('UPDATE logs SET closed_at = ? WHERE log_id = ?', at, previous);
  await insertLog(tx, key, node, at);
  await append(tx, key.logId, [{ at, record: record({ previous, size, root: rootOf(frontier) }) }]);
  return key.logId;
};

/** Returns the open log of this node, or opens one with `spare`. A log whose key is gone is closed and succeeded. */
const claimLog = async (tx: Tx, { keys, heads, node, now }: OpenLogOptions, spare: () => LogKey): Promise<string> => {
  const open = await openLogOf(tx, node);
  if (open !== undefined) await assertNotRolledBack(tx, heads, open);
  if (open !== undefined && keys.find(open) !== undefined) return open;
  const at = now();
  if (open !== undefined) {
    return succeed(tx, { node, previous: open, at }, spare(), (end) => ({ kind: 'succeeds', ...end }));
  }
  const key = spare();
  await insertLog(tx, key, node, at);
  return key.logId;
};

/** Hands out one key however often a transaction runs, and takes it back where no log took it. */
const withSpareKey = async <T>({ store, keys }: OpenLogOptions, use: (spare: () => LogKey) => Promise<T>) => {
  let made: LogKey | undefined;
  const spare = (): LogKey => {
    made ??= keys.create();
    return made;
  };
  try {
    return await use(spare);
  } finally {
    if (made !== undefined && !(await isTaken(store, made))) keys.discard(made);
  }
};

/**
 * Migrates the store, records each step in the log, and returns the log's id. `first` writes this process's own first
 * records in the transaction that made sure of the log: none is ever empty.
 */
export const openLog = (options: OpenLogOptions, first: (tx: Tx, log: string) => Promise<void>): Promise<string> =>
  withSpareKey(options, async (spare) => {
    const { store, now } = options;
    await store.migrate(async (tx, step) => {
      const log = await claimLog(tx, options, spare);
      await append(tx, log, [{ at: now(), record: { kind: 'migrate', ...step } }]);
    });
    return store.write(async (tx) => {
      const log = await claimLog(tx, options, spare);
      await first(tx, log);
      return log;
    });
  });

const nothingToAccept = (): ColibriError =>
  new ColibriError('INVALID_PARAMS', 'The store has everything that was signed: there is nothing to accept.');

/** The store went back and stays so: the old log is closed, a new one says what is missing. Returns how much. */
export const acceptRollback = (
  options: OpenLogOptions,
  reason: string,
): Promise<{ readonly log: string; readonly lost: number }> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const { node, heads, now } = options;
        const previous = await openLogOf(tx, node);
        const known = previous && (await lostHead(tx, heads, previous));
        if (!previous || !known) throw nothingToAccept();
        const { size } = await readHead(tx, previous);
        const log = await succeed(tx, { node, previous, at: now() }, spare(), (end) => ({
          kind: 'restore',
          ...end,
          known_size: known.size,
          known_root: known.root,
          reason,
        }));
        return { log, lost: Math.max(0, known.size - size) };
      },
      { sync: true },
    ),
  );

/** The key is replaced while it is still there: the old log names its successor and is signed a last time. */
export const rotateKey = (
  options: OpenLogOptions,
  signLast: (tx: Tx, log: string) => Promise<void>,
): Promise<{ readonly previous: string; readonly log: string }> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const { node, now } = options;
        const previous = await openLogOf(tx, node);
        if (previous === undefined) throw new ColibriError('INVALID_PARAMS', 'There is no open log of this user here.');
        const key = spare();
        const successor = vkeyOf(verifierOf(originOf(key.logId), Buffer.from(key.publicKey, 'hex')));
        const at = now();
        await append(tx, previous, [{ at, record: { kind: 'rotate', successor } }]);
        await signLast(tx, previous);
        const log = await succeed(tx, { node, previous, at }, key, (end) => ({ kind: 'succeeds', ...end }));
        return { previous, log };
      },
      { sync: true },
    ),
  );

/** Whether a log bears this key. Where that cannot be seen the key stays: an orphan is harmless, a lost key is not. */
const isTaken = (store: Store, key: LogKey): Promise<boolean> =>
  store
    .read((tx) => tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId))
    .then((row) => row !== undefined)
    .catch(() => true);
