// Proves a thought in two steps: from the thought to the root in its session's seal, then from the seal to a signed checkpoint.
import { proveRecord } from '../../ledger/prove.js';
import type { ProofFile, ThoughtProof } from '../../proof/proof-file.js';
import type { ReadTx } from '../../store/store.js';
import { findSession, findThought } from '../trail/repository.js';
import { pathInSession } from '../trail/session-tree.js';
import { hashedFields, type ThoughtRow, thoughtText } from '../trail/thought.js';

/** The first step of the proof: the Merkle path of a thought among the `size` thoughts of its sealed session. */
export const pathOfThought = async (tx: ReadTx, thought: ThoughtRow, size: number): Promise<ThoughtProof> => ({
  record: thoughtText(hashedFields(thought)),
  content: thought.content,
  salt: thought.content_salt,
  index: thought.place,
  path: await pathInSession(tx, thought.session_id, thought.place, size),
});

/** The proof of a thought. Undefined if there is no such thought, its session is open, or no signed checkpoint covers the session's seal yet. */
export const proveThought = async (tx: ReadTx, thoughtId: string): Promise<ProofFile | undefined> => {
  const thought = await findThought(tx, thoughtId);
  const session = thought && (await findSession(tx, thought.session_id));
  if (thought === undefined || session === undefined || session.record_count === null) return undefined;
  const seal = await proveRecord(tx, { log: session.log_id, seq: session.seq });
  if (seal === undefined) return undefined;
  return { ...seal, extra: { ...seal.extra, thought: await pathOfThought(tx, thought, session.record_count) } };
};
