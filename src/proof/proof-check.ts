// Checks whether a proof file (a record is in a log) is valid, after the signature of its checkpoint was checked.
import { approvalsFault } from './approval-proof.js';
import { fromHex } from './bytes.js';
import { parseObject } from './canonical-json.js';
import { type Checkpoint, logIdIn } from './checkpoint.js';
import type { Hashes } from './hashes.js';
import { proofChecks } from './merkle-proof.js';
import type { OpenedCheckpoint } from './note.js';
import { type CallProof, isHexHash, isIndex, type ProofFile, type ThoughtProof } from './proof-file.js';

export interface NotHeld {
  readonly holds: false;
  readonly why: string;
}

export type ProofVerdict =
  | { readonly holds: true; readonly checkpoint: Checkpoint; readonly proof: ProofFile }
  | NotHeld;

export const notHeld = (why: string): NotHeld => ({ holds: false, why });

/**
 * Why the proof of a thought is invalid, or undefined if it is valid: the thought must be under the Merkle root that its session's `seal`
 * record names, and the content must match the thought.
 */
const thoughtFault = (sealText: string, thought: ThoughtProof, hashes: Hashes): string | undefined => {
  const { kind, root, record_count: size } = parseObject(sealText);
  if (kind !== 'seal' || !isHexHash(root) || !isIndex(size)) return 'the record is not the seal of a session';
  const { record, index, path, content, salt } = thought;
  const { includes } = proofChecks(hashes);
  if (!includes({ leaf: hashes.leaf(record), index, size, path, root })) {
    return 'the thought is not in the sealed session';
  }
  if (content === null || salt === null) return undefined; // content and salt were erased; only the digest remains
  const { content_digest: digest } = parseObject(record);
  const matches = /^[0-9a-f]{32}$/.test(salt) && hashes.salted(fromHex(salt), content) === digest;
  return matches ? undefined : 'the content does not match the digest in the thought';
};

/**
 * Why what belongs to a call is invalid, or undefined if it is valid: its intent and the records of its approvals must be in the same tree, must
 * belong to the outcome, and the definition must be the one that the intent names.
 */
const callFault = (
  outcomeText: string,
  { definition, records }: CallProof,
  { size, root }: Checkpoint,
  hashes: Hashes,
): string | undefined => {
  const outcome = parseObject(outcomeText);
  if (outcome.kind !== 'call.exit') return 'the record is not the outcome of a call';
  const { includes } = proofChecks(hashes);
  for (const { record, index, path } of records) {
    const said = parseObject(record);
    if (
      !includes({ leaf: hashes.leaf(record), index, size, path, root }) ||
      said.seq !== index ||
      said.log !== outcome.log
    )
      return 'a record of the call is not in the tree of the checkpoint';
  }
  const [intent, ...approvals] = records.map(({ record }) => parseObject(record));
  if (intent?.kind !== 'call.enter' || intent.call !== outcome.call || intent.seq !== outcome.sequence_no)
    return 'the first further record is not the intent of the call';
  const fault = approvalsFault(outcome, approvals);
  if (fault !== undefined) return fault;
  if (definition !== null && hashes.salted(new Uint8Array(0), definition) !== intent.definition)
    return 'the definition is not the one that the intent names';
  return undefined;
};

/** Whether the record in a proof file is in the log whose checkpoint was opened. */
export const proofVerdict = (proof: ProofFile, opened: OpenedCheckpoint, hashes: Hashes): ProofVerdict => {
  if ('refused' in opened) return notHeld(`checkpoint: ${opened.refused}`);
  const { checkpoint } = opened;
  const { extra, index, path } = proof;
  const { includes } = proofChecks(hashes);
  if (!includes({ leaf: hashes.leaf(extra.record), index, size: checkpoint.size, path, root: checkpoint.root })) {
    return notHeld('the record is not in the tree of the checkpoint');
  }
  const why =
    (extra.thought && thoughtFault(extra.record, extra.thought, hashes)) ??
    (extra.call && callFault(extra.record, extra.call, checkpoint, hashes));
  return why === undefined ? { holds: true, checkpoint, proof } : notHeld(why);
};

/**
 * Checks a valid proof once more: if the log is one of Colibri's, the record must name the log and the position at which it was found.
 * Otherwise Colibri did not write the record there, and the proof is invalid.
 */
export const atItsPlace = (verdict: ProofVerdict): ProofVerdict => {
  if (!verdict.holds) return verdict;
  const log = logIdIn(verdict.checkpoint.origin);
  if (log === undefined) return verdict;
  const said = parseObject(verdict.proof.extra.record);
  const isThere = said.log === log && said.seq === verdict.proof.index;
  return isThere ? verdict : notHeld('the record names another place in the log than its own');
};
