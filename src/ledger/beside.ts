// Appends `beside` records to a log. They name the store's other logs with sizes and roots, so that removing, cutting or replacing one is noticed.
import type { Tx } from '../store/store.js';
import { asStanding, inParts } from './identity.js';
import { append } from './ledger.js';
import type { OwnLog } from './own-log.js';

/** The process that appends `beside` records, the log that it appends to, and the time of the records. */
export interface BesidePlace {
  readonly log: OwnLog;
  readonly instance: string;
  readonly at: string;
}

const REMEMBER = `INSERT INTO beside (no, other, size)
  SELECT o.no, l.no, ? FROM logs o JOIN logs l ON l.log_id = ? WHERE o.log_id = ?
  ON CONFLICT (no, other) DO UPDATE SET size = excluded.size`;

type OtherRow = { readonly log_id: string; readonly size: number; readonly frontier: string };

/** Appends `beside` records that name each other log which is new or has grown since this log named it last. Reads no records of these logs. */
export const recordBeside = async (tx: Tx, { log, instance, at }: BesidePlace): Promise<void> => {
  const rows = await tx.all<OtherRow>(
    `SELECT l.log_id, l.size, l.frontier FROM logs l JOIN logs o ON o.log_id = ?
     LEFT JOIN beside b ON b.no = o.no AND b.other = l.no
     WHERE l.no <> o.no AND l.size > COALESCE(b.size, 0) ORDER BY l.no`,
    log.id,
  );
  if (rows.length === 0) return;
  const parts = inParts(rows.map(asStanding));
  const records = parts.map((logs) => ({ at, record: { kind: 'beside', instance, logs } as const }));
  await append(tx, log, records);
  await tx.runMany(
    REMEMBER,
    rows.map((other) => [other.size, other.log_id, log.id]),
  );
};
