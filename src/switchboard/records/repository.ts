// The SQL that reads health records. Records have no index by kind, so they are scanned in pages.
import type { ReadTx } from '../../store/store.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

export type HealthRow = { readonly id: number; readonly log_id: string; readonly seq: number; readonly body: string };

export const healthRecordsAfter = (tx: ReadTx, id: number): Promise<HealthRow[]> =>
  tx.all<HealthRow>(
    "SELECT id, log_id, seq, body FROM actions WHERE id > ? AND kind = 'health' ORDER BY id LIMIT ?",
    id,
    SWITCHBOARD_LIMITS.healthRecords,
  );
