// What every engine asks of the tables of the ledger before the rest of a verification reads them.
import type { StoreReading } from '../reading.js';

/** The newest format that a log names; 0 if there is none, or if the rows are not numbers. */
export const newestFormat = (tx: StoreReading): number => {
  const formats = tx.all<{ format: unknown }>('SELECT format FROM logs').map(({ format }) => Number(format));
  return Math.max(0, ...formats.filter(Number.isFinite));
};

/** Whether the tables of the ledger have the columns that are read of them, in a store of a newer format. */
export const areReadable = (tx: StoreReading): boolean => {
  try {
    tx.get(`SELECT l.no, l.log_id, l.node, l.public_key, l.size, l.frontier, l.opened_at, l.closed_at, l.head_mac, a.id,
      a.log_id, a.seq, a.sequence_no, a.kind, a.tool, a.at, a.body, a.leaf, c.log_id, c.no, c.size, c.note, t.log_id,
      t.level, t.idx, t.hash FROM logs l, actions a, checkpoints c, tiles t WHERE FALSE`);
    return true;
  } catch {
    return false;
  }
};
