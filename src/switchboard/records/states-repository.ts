// The SQL for what the store knows about servers: their protocol eras, their health records, and their live health states. Each running
// Colibri process writes the live states so that `colibri switchboard` can show them; no record of the ledger covers them.
import type { ReadTx, Tx } from '../../store/store.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

export type StateRow = {
  readonly server: string;
  /** The server's position in the switchboard file. */
  readonly place: number;
  readonly state: string;
  readonly since: string;
  readonly reason: string | null;
  readonly next_at: string | null;
  readonly calls: number;
  readonly failures: number;
  readonly noise: number;
  readonly notes: string;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly at: string;
};

export type InstanceState = StateRow & { readonly instance: string };

/** The server name in the row for the switchboard file itself. */
export const FILE_ROW = '';
/** The server name in the row for the routes of the switchboard file; no server can have this name. */
export const ROUTES_ROW = '\n';

/** Replaces all rows that show the servers of one Colibri process. */
export const replaceStates = async (tx: Tx, instance: string, rows: readonly StateRow[]): Promise<void> => {
  await forgetStates(tx, instance);
  for (const row of rows) {
    await tx.run(
      `INSERT INTO server_states
         (instance, server, place, state, since, reason, next_at, calls, failures, noise, notes, p50_ms, p99_ms, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      instance,
      ...[row.server, row.place, row.state, row.since, row.reason, row.next_at, row.calls, row.failures, row.noise],
      ...[row.notes, row.p50_ms, row.p99_ms, row.at],
    );
  }
};

export const forgetStates = async (tx: Tx, instance: string): Promise<void> => {
  await tx.run('DELETE FROM server_states WHERE instance = ?', instance);
};

export const instancesWithStates = async (tx: ReadTx): Promise<readonly string[]> =>
  (await tx.all<{ instance: string }>('SELECT DISTINCT instance FROM server_states')).map(({ instance }) => instance);

export const allStates = (tx: ReadTx): Promise<InstanceState[]> =>
  tx.all<InstanceState>('SELECT * FROM server_states ORDER BY instance, place');

export const pidOf = async (tx: ReadTx, instance: string): Promise<{ pid: number; started_at: string } | undefined> =>
  tx.get<{ pid: number; started_at: string }>('SELECT pid, started_at FROM instances WHERE instance = ?', instance);

export type EraRow = {
  readonly connection: string;
  readonly era: string;
  readonly version: string | null;
  readonly at: number;
};

export const allEras = (tx: ReadTx): Promise<EraRow[]> => tx.all<EraRow>('SELECT * FROM server_eras');

export const replaceEra = async (
  tx: Tx,
  connection: string,
  row: Omit<EraRow, 'connection'> | undefined,
): Promise<void> => {
  await tx.run('DELETE FROM server_eras WHERE connection = ?', connection);
  if (row === undefined) return;
  const { era, version, at } = row;
  await tx.run(
    'INSERT INTO server_eras (connection, era, version, at) VALUES (?, ?, ?, ?)',
    ...[connection, era, version, at],
  );
};

export type HealthRow = { readonly id: number; readonly log_id: string; readonly seq: number; readonly body: string };

/** A page of health records. Records have no index by kind, so they are scanned in pages. */
export const healthRecordsAfter = (tx: ReadTx, id: number): Promise<HealthRow[]> =>
  tx.all<HealthRow>(
    "SELECT id, log_id, seq, body FROM actions WHERE id > ? AND kind = 'health' ORDER BY id LIMIT ?",
    id,
    SWITCHBOARD_LIMITS.healthRecords,
  );
