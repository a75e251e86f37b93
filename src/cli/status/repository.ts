// The SQL of `colibri status`: counts and lists of calls within a range of records that the caller bounds.
import type { ReadTx } from '../../store/store.js';
import type { Stretch } from '../records/log-repository.js';

export const countOutcomes = async (tx: ReadTx, { from, to }: Stretch): Promise<number> =>
  (
    await tx.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM actions WHERE id >= ? AND id < ? AND kind = 'call.exit'`,
      from,
      to,
    )
  )?.n ?? 0;

export type Trouble = { readonly body: string; readonly intent: string | null };

/** The outcome records that are not ok, with their intents. In canonical JSON the text `"outcome":"ok"` occurs only as that member. */
export const troubles = (tx: ReadTx, { from, to }: Stretch): Promise<Trouble[]> =>
  tx.all<Trouble>(
    `SELECT x.body, e.body AS intent FROM actions x
     LEFT JOIN actions e ON e.id = x.id - x.seq + x.sequence_no AND e.kind = 'call.enter'
     WHERE x.id >= ? AND x.id < ? AND x.kind = 'call.exit' AND x.body NOT LIKE '%"outcome":"ok"%' ORDER BY x.id`,
    from,
    to,
  );

/** The records of calls' starts (intents) that have no outcome record. */
export const openIntents = (tx: ReadTx, { from, to }: Stretch): Promise<{ body: string }[]> =>
  tx.all<{ body: string }>(
    `SELECT e.body FROM actions e WHERE e.id >= ? AND e.id < ? AND e.kind = 'call.enter' AND NOT EXISTS
       (SELECT 1 FROM actions o WHERE o.log_id = e.log_id AND o.sequence_no = e.seq AND o.kind = 'call.exit')
     ORDER BY e.id`,
    from,
    to,
  );
