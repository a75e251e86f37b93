// The SQL of `colibri doctor`.
import { LIMITS } from '../limits.js';
import type { ReadTx } from '../store/store.js';

export type InstanceInfo = {
  readonly instance: string;
  readonly log_id: string;
  readonly boot_seq: number;
  readonly pid: number;
};

export const knownInstances = (tx: ReadTx): Promise<InstanceInfo[]> =>
  tx.all<InstanceInfo>('SELECT instance, log_id, boot_seq, pid FROM instances ORDER BY started_at');

/** Calls of an instance without an outcome, among its newest records. A name of ours in quotes holds no wildcard. */
export const abandonedCalls = async (tx: ReadTx, { instance, log_id, boot_seq }: InstanceInfo): Promise<number> => {
  const log = await tx.get<{ no: number; size: number }>('SELECT no, size FROM logs WHERE log_id = ?', log_id);
  if (log === undefined || !/^[0-9a-f-]{36}$/.test(instance)) return 0;
  const from = Math.max(boot_seq, log.size - LIMITS.doctorRecords);
  const row = await tx.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM actions e
     WHERE e.id >= ? AND e.id < ? AND e.kind = 'call.enter' AND e.body LIKE ? ESCAPE '\\'
       AND NOT EXISTS (SELECT 1 FROM actions o
         WHERE o.log_id = e.log_id AND o.sequence_no = e.seq AND o.kind = 'call.exit')`,
    log.no * 2 ** 32 + from,
    log.no * 2 ** 32 + log.size,
    `%"instance":"${instance}"%`,
  );
  return row?.n ?? 0;
};
