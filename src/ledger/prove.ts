// Proofs of one record, made from what the store keeps: its path to the newest checkpoint that covers it.
import type { ReadTx } from '../store/store.js';
import { readHead } from './ledger.js';
import type { ProofFile } from './proof-file.js';
import { inclusionPath } from './stored-tree.js';

export interface RecordPlace {
  readonly log: string;
  readonly seq: number;
}

/** The newest signed note that covers a record; undefined until one was signed. */
export const coveringCheckpoint = (tx: ReadTx, { log, seq }: RecordPlace) =>
  tx.get<{ size: number; note: string }>(
    'SELECT size, note FROM checkpoints WHERE log_id = ? AND size > ? ORDER BY no DESC LIMIT 1',
    log,
    seq,
  );

export const readBody = async (tx: ReadTx, { log, seq }: RecordPlace): Promise<string | undefined> => {
  const { base } = await readHead(tx, log);
  return (await tx.get<{ body: string }>('SELECT body FROM actions WHERE id = ?', base + seq))?.body;
};

/** Undefined where there is no such record or no signature over it yet. */
export const proveRecord = async (tx: ReadTx, place: RecordPlace): Promise<ProofFile | undefined> => {
  const record = await readBody(tx, place);
  const checkpoint = await coveringCheckpoint(tx, place);
  if (record === undefined || checkpoint === undefined) return undefined;
  const { log, seq } = place;
  const { base } = await readHead(tx, log);
  const path = await inclusionPath(tx, { log, base }, seq, checkpoint.size);
  return { extra: { record }, index: seq, path, checkpoint: checkpoint.note };
};
