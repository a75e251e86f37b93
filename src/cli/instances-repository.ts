// SQL for the processes (instances) that have used a store, and for their calls that have no outcome yet.
import { outcomeIdOf } from '../ledger/outcomes.js';
import type { ReadTx } from '../store/store.js';
import { logInfo } from './records/record-repository.js';

export type KnownInstance = {
  readonly instance: string;
  readonly log_id: string;
  /** The machine and user of the process; null if its log is not in the store. */
  readonly node: string | null;
  readonly boot_seq: number;
  readonly pid: number;
  readonly started_at: string;
  /** 1 if the log of the process is closed: nobody appends to the log any more, so calls without an outcome stay so. */
  readonly closed: 0 | 1;
};

export const newestInstances = (tx: ReadTx, limit: number): Promise<KnownInstance[]> =>
  tx.all<KnownInstance>(
    `SELECT i.instance, i.log_id, l.node, i.boot_seq, i.pid, i.started_at, l.closed_at IS NOT NULL AS closed
     FROM instances i LEFT JOIN logs l ON l.log_id = i.log_id ORDER BY i.started_at DESC LIMIT ?`,
    limit,
  );

/** Counts a process's calls without an outcome in the newest `most` records. The id is checked, so it contains no wildcard of LIKE. */
export const openCallsOf = async (tx: ReadTx, { instance, log_id, boot_seq }: KnownInstance, most: number) => {
  const log = await logInfo(tx, log_id);
  if (log === undefined || !/^[0-9a-f-]{36}$/.test(instance)) return 0;
  const from = Math.max(boot_seq, log.size - most);
  const row = await tx.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM actions e
     WHERE e.id >= ? AND e.id < ? AND e.kind = 'call.enter' AND e.body LIKE ? ESCAPE '\\'
       AND ${outcomeIdOf('e')} IS NULL`,
    log.base + from,
    log.base + log.size,
    `%"instance":"${instance}"%`,
  );
  return row?.n ?? 0;
};
