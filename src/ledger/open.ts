// Opening this node's log: schema, key, the log's row. A store has many logs, one open log per machine and user.
import { ColibriError } from '../errors.js';
import type { Store, Tx } from '../store/store.js';
import type { KeyRing, LogKey } from './keys.js';
import { append, FORMAT, readHead } from './ledger.js';
import { rootOf } from './merkle.js';

export interface OpenLogOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  /** Machine and user: a process opens its own node's log, and only that one can count as lost. */
  readonly node: string;
  readonly now: () => string;
}

const openLogOf = async (tx: Pick<Tx, 'get'>, node: string): Promise<string | undefined> =>
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

/**
 * Returns the open log of this node, or opens one with `spare`. A log whose key is gone is closed, and the new
 * log begins by saying how the old one ended. The insert decides a race between two starting processes.
 */
const claimLog = async (tx: Tx, { keys, node, now }: OpenLogOptions, spare: () => LogKey): Promise<string> => {
  const open = await openLogOf(tx, node);
  if (open !== undefined && keys.has(open)) return open;
  const at = now();
  if (open !== undefined) await tx.run('UPDATE logs SET closed_at = ? WHERE log_id = ?', at, open);
  const key = spare();
  await insertLog(tx, key, node, at);
  if (open !== undefined) {
    const { size, frontier } = await readHead(tx, open);
    const record = { kind: 'succeeds', previous: open, size, root: rootOf(frontier) } as const;
    await append(tx, key.logId, [{ at, record }]);
  }
  return key.logId;
};

/** Migrates the store, records each step in the log, and returns the log's id. */
export const openLog = async (options: OpenLogOptions): Promise<string> => {
  const { store, keys, now } = options;
  let made: LogKey | undefined;
  // One key however often a transaction runs; made lazily, since most starts find their log open.
  const spare = (): LogKey => {
    made ??= keys.create();
    return made;
  };
  const claim = (tx: Tx) => claimLog(tx, options, spare);
  try {
    await store.migrate(async (tx, step) => {
      const log = await claim(tx);
      await append(tx, log, [{ at: now(), record: { kind: 'migrate', ...step } }]);
    });
    return await store.write(claim);
  } finally {
    if (made !== undefined && !(await isTaken(store, made))) keys.discard(made);
  }
};

/** Whether a log bears this key. Where that cannot be seen the key stays: an orphan is harmless, a lost key is not. */
const isTaken = (store: Store, key: LogKey): Promise<boolean> =>
  store
    .read((tx) => tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId))
    .then((row) => row !== undefined)
    .catch(() => true);
