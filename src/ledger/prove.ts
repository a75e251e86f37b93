// Makes proof files from the store: a record, and its Merkle path to the newest checkpoint that covers the record.
import { ColibriError } from '../errors.js';
import type { ProofVerdict } from '../proof/proof-check.js';
import { type ProofFile, writeProof } from '../proof/proof-file.js';
import type { ReadTx } from '../store/store.js';
import { readHead } from './head.js';
import { verifierFor } from './heads.js';
import { checkProof } from './notes.js';
import { inclusionPath } from './stored-tree.js';

export interface RecordPlace {
  readonly log: string;
  readonly seq: number;
}

/** The newest signed checkpoint note that covers a record; undefined if none covers it yet. */
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

/** The proof of a record; undefined if the record does not exist or no signed checkpoint covers it yet. */
export const proveRecord = async (tx: ReadTx, place: RecordPlace): Promise<ProofFile | undefined> => {
  const record = await readBody(tx, place);
  const checkpoint = await coveringCheckpoint(tx, place);
  if (record === undefined || checkpoint === undefined) return undefined;
  const { log, seq } = place;
  const { base } = await readHead(tx, log);
  const path = await inclusionPath(tx, { log, base }, seq, checkpoint.size);
  return { extra: { record }, index: seq, path, checkpoint: checkpoint.note };
};

/** The error for a proof that fails its own check, because the data in the store were changed. */
export const brokenProof = (why: string, cause?: unknown): ColibriError =>
  new ColibriError('STORE_CORRUPT', `The proof does not hold: ${why}.`, {
    remedy: 'colibri verify says where.',
    ...(cause !== undefined && { cause }),
  });

const judged = async (tx: ReadTx, log: string, text: string): Promise<ProofVerdict> => {
  const verifier = await verifierFor(tx, log);
  try {
    return checkProof(text, verifier);
  } catch (thrown) {
    throw brokenProof('the key of its log is not valid', thrown);
  }
};

const written = (file: ProofFile): string => {
  try {
    return writeProof(file);
  } catch (thrown) {
    throw brokenProof('a part of it cannot be written', thrown);
  }
};

/**
 * The text of a proof file, checked first as its recipient will check it: a proof that failed there would be blamed on Colibri, not on whoever
 * changed the store.
 */
export const heldProof = async (tx: ReadTx, log: string, file: ProofFile): Promise<string> => {
  const text = written(file);
  const verdict = await judged(tx, log, text);
  if (!verdict.holds) throw brokenProof(verdict.why);
  return text;
};
