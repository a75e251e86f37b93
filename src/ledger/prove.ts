// Proofs of one record, made from what the store keeps: its path to the newest checkpoint that covers it.
import { ColibriError } from '../errors.js';
import type { ProofVerdict } from '../proof/proof-check.js';
import { type ProofFile, writeProof } from '../proof/proof-file.js';
import type { ReadTx } from '../store/store.js';
import { readHead } from './ledger.js';
import { checkProof } from './notes.js';
import { verifierFor } from './signer.js';
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

/** What is said where the store has no proof that holds. */
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
    throw brokenProof('the key of its log is none', thrown);
  }
};

const written = (file: ProofFile): string => {
  try {
    return writeProof(file);
  } catch (thrown) {
    throw brokenProof('a part of it has no written form', thrown);
  }
};

/**
 * The text of a proof, read as a stranger will read it. Whoever gets one that fails would think of us, not of the store
 * that somebody has changed.
 */
export const heldProof = async (tx: ReadTx, log: string, file: ProofFile): Promise<string> => {
  const text = written(file);
  const verdict = await judged(tx, log, text);
  if (!verdict.holds) throw brokenProof(verdict.why);
  return text;
};
