// The id of a store, and the size and root of each of its logs. The first record of every log names the store's id, so a log that was copied in
// from another store is noticed; logs name each other with size and root, so a log that was taken out is noticed too.
import { randomBytes } from 'node:crypto';
import { ColibriError } from '../errors.js';
import type { LogStanding } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { frontierOf } from './head.js';
import { LEDGER_LIMITS } from './limits.js';
import { rootOf } from './tree.js';

const STORE_ID_BYTES = 16;

const findStoreId = async (tx: Pick<ReadTx, 'get'>): Promise<string | undefined> =>
  (await tx.get<{ store_id: string }>('SELECT store_id FROM identity'))?.store_id;

const lostId = (): ColibriError =>
  new ColibriError('STORE_CORRUPT', 'the store has lost its id', {
    remedy: 'colibri verify says what else is wrong. Restore a backup.',
  });

export const storeIdOf = async (tx: Pick<ReadTx, 'get'>): Promise<string> => {
  const id = await findStoreId(tx);
  if (id === undefined) throw lostId();
  return id;
};

/** Gives the store a new random id, which replaces the old one. */
export const renewStoreId = async (tx: Tx): Promise<string> => {
  const id = randomBytes(STORE_ID_BYTES).toString('hex');
  await tx.run('DELETE FROM identity');
  await tx.run('INSERT INTO identity (store_id) VALUES (?)', id);
  return id;
};

/** The id of the store. A store without an id gets one if it has no logs yet; otherwise its id was lost, and this throws. */
export const identify = async (tx: Tx): Promise<string> => {
  const id = await findStoreId(tx);
  if (id !== undefined) return id;
  if ((await tx.get('SELECT no FROM logs')) !== undefined) throw lostId();
  return renewStoreId(tx);
};

type LogRow = { readonly log_id: string; readonly size: number; readonly frontier: string };

export const asStanding = ({ log_id, size, frontier }: LogRow): LogStanding => ({
  log: log_id,
  size,
  root: rootOf(frontierOf(frontier)),
});

/** The id, size and root of each log of the store, in the order in which the logs were created. */
export const logStandings = async (tx: Pick<ReadTx, 'all'>): Promise<LogStanding[]> =>
  (await tx.all<LogRow>('SELECT log_id, size, frontier FROM logs ORDER BY no')).map(asStanding);

/** Splits a list of logs into parts that each fit into one record. */
export const inParts = (logs: readonly LogStanding[]): LogStanding[][] => {
  const parts: LogStanding[][] = [];
  for (let at = 0; at < logs.length; at += LEDGER_LIMITS.logsPerRecord) {
    parts.push(logs.slice(at, at + LEDGER_LIMITS.logsPerRecord));
  }
  return parts;
};
