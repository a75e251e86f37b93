// SQL about the machines that write a store.
import type { ReadTx } from '../../store/store.js';

/** How many bytes a database on a server takes there. */
export const databaseBytes = async (tx: ReadTx): Promise<number> =>
  (await tx.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes'))?.bytes ?? 0;

/** Who holds leases on how many tasks, the processes of each log counted together. */
export const leasesByLog = async (tx: ReadTx, at: string): Promise<ReadonlyMap<string, string[]>> => {
  const rows = await tx.all<{ log_id: string; holder: string; n: number }>(
    `SELECT log_id, holder, COUNT(*) AS n FROM leases WHERE released = 0 AND until > ?
     GROUP BY log_id, holder ORDER BY log_id, holder`,
    at,
  );
  const by = new Map<string, string[]>();
  for (const { log_id, holder, n } of rows) by.set(log_id, [...(by.get(log_id) ?? []), `${holder}: ${n}`]);
  return by;
};
