// Makes proof files from the store: a record, and its Merkle path to the newest checkpoint that covers the record.
import { ColibriError } from '../errors.js';
import { parseObject } from '../proof/canonical-json.js';
import type { ProofVerdict } from '../proof/proof-check.js';
import { type FurtherRecord, type ProofFile, writeProof } from '../proof/proof-file.js';
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

const OF_APPROVALS = `SELECT seq, body FROM actions WHERE log_id = ? AND id >= ? AND id < ? AND kind = 'approval' ORDER BY id`;

/** The number of the record of a round's decision, if it is in this log. */
const decisionRecord = async (tx: ReadTx, log: string, round: unknown): Promise<readonly number[]> => {
  const found = await tx.get<{ decided_seq: number }>(
    'SELECT decided_seq FROM rounds WHERE round_id = ? AND decided_log = ?',
    ...[String(round), log],
  );
  return found === undefined ? [] : [found.decided_seq];
};

/**
 * The numbers of the records of the approvals that a call used, and of the decisions of their rounds: the process of the call may have died before
 * its outcome could name them.
 */
const approvalRecords = async (tx: ReadTx, { log, seq }: RecordPlace, outcome: string): Promise<readonly number[]> => {
  const { call } = parseObject(outcome);
  const { base } = await readHead(tx, log);
  const rows = await tx.all<{ approval_id: string }>(
    'SELECT approval_id FROM approvals WHERE used_by = ?',
    String(call),
  );
  if (rows.length === 0) return [];
  const used = new Set(rows.map(({ approval_id }) => approval_id));
  const records = await tx.all<{ seq: number; body: string }>(OF_APPROVALS, log, base, base + seq);
  const said = records.map(({ seq: at, body }) => ({ at, says: parseObject(body) }));
  const own = said.filter(({ says }) => used.has(String(says.approval_id)));
  const rounds = own.flatMap(({ says: { state, round } }) => (state === 'used' && round !== undefined ? [round] : []));
  const decisions = await Promise.all(rounds.map((round) => decisionRecord(tx, log, round)));
  return [...own.map(({ at }) => at), ...decisions.flat()].sort((a, b) => a - b);
};

/** The proof of a call: its outcome, and beside it its intent, the definition that it names, and the approvals that it used, with the decisions of voters. */
export const proveCall = async (tx: ReadTx, place: RecordPlace, intent: number): Promise<ProofFile | undefined> => {
  const file = await proveRecord(tx, place);
  const checkpoint = await coveringCheckpoint(tx, place);
  if (file === undefined || checkpoint === undefined) return undefined;
  const { log } = place;
  const { base } = await readHead(tx, log);
  const records: FurtherRecord[] = [];
  for (const seq of [intent, ...(await approvalRecords(tx, place, file.extra.record))]) {
    const record = await readBody(tx, { log, seq });
    if (record === undefined) return file; // `colibri verify` says what is missing
    records.push({ record, index: seq, path: await inclusionPath(tx, { log, base }, seq, checkpoint.size) });
  }
  const digest = parseObject(records[0]?.record ?? '{}').definition;
  const row =
    typeof digest === 'string'
      ? await tx.get<{ json: string | null }>('SELECT json FROM definitions WHERE digest = ?', digest)
      : undefined;
  return { ...file, extra: { ...file.extra, call: { definition: row?.json ?? null, records } } };
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
