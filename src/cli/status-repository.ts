// The SQL of `colibri status`: counts that an index answers, and counts over a stretch of records that the caller bounds.
import { LIMITS } from '../limits.js';
import type { ReadTx } from '../store/store.js';
import type { Stretch } from './log-repository.js';

export type KnownInstance = {
  readonly instance: string;
  readonly log_id: string;
  readonly boot_seq: number;
  readonly pid: number;
  readonly started_at: string;
  /** 1: its log has an end. Nobody writes into that any more, so its open calls stay open. */
  readonly closed: 0 | 1;
};

export const newestInstances = (tx: ReadTx, limit: number): Promise<KnownInstance[]> =>
  tx.all<KnownInstance>(
    `SELECT i.instance, i.log_id, i.boot_seq, i.pid, i.started_at, l.closed_at IS NOT NULL AS closed
     FROM instances i LEFT JOIN logs l ON l.log_id = i.log_id ORDER BY i.started_at DESC LIMIT ?`,
    limit,
  );

export const countOutcomes = async (tx: ReadTx, { from, to }: Stretch): Promise<number> =>
  (
    await tx.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM actions WHERE id >= ? AND id < ? AND kind = 'call.exit'`,
      from,
      to,
    )
  )?.n ?? 0;

export type Trouble = { readonly body: string; readonly intent: string | null };

/** Outcomes that are not ok, with their intents. The member `"outcome":"ok"` can stand in a body only as itself. */
export const troubles = (tx: ReadTx, { from, to }: Stretch): Promise<Trouble[]> =>
  tx.all<Trouble>(
    `SELECT x.body, e.body AS intent FROM actions x
     LEFT JOIN actions e ON e.id = x.id - x.seq + x.sequence_no AND e.kind = 'call.enter'
     WHERE x.id >= ? AND x.id < ? AND x.kind = 'call.exit' AND x.body NOT LIKE '%"outcome":"ok"%' ORDER BY x.id`,
    from,
    to,
  );

/** Intents without an outcome. */
export const openIntents = (tx: ReadTx, { from, to }: Stretch): Promise<{ body: string }[]> =>
  tx.all<{ body: string }>(
    `SELECT e.body FROM actions e WHERE e.id >= ? AND e.id < ? AND e.kind = 'call.enter' AND NOT EXISTS
       (SELECT 1 FROM actions o WHERE o.log_id = e.log_id AND o.sequence_no = e.seq AND o.kind = 'call.exit')
     ORDER BY e.id`,
    from,
    to,
  );

/** Calls of an instance without an outcome, among so many of the newest records. A name of ours in quotes holds no wildcard. */
export const openCallsOf = async (
  tx: ReadTx,
  { instance, log_id, boot_seq }: KnownInstance,
  most: number = LIMITS.doctorRecords,
): Promise<number> => {
  const log = await tx.get<{ no: number; size: number }>('SELECT no, size FROM logs WHERE log_id = ?', log_id);
  if (log === undefined || !/^[0-9a-f-]{36}$/.test(instance)) return 0;
  const from = Math.max(boot_seq, log.size - most);
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
