// A thought is proved in two steps: from it to the root in the seal of its session, from the seal to a checkpoint.

import { proveRecord } from '../../ledger/prove.js';
import type { ProofFile, ThoughtProof } from '../../proof/proof-file.js';
import type { ReadTx } from '../../store/store.js';
import { findSession, findThought } from '../trail/repository.js';
import { pathInSession } from '../trail/session-tree.js';
import { hashedFields, type ThoughtRow, thoughtText } from '../trail/thought.js';

/** The first step: its path among the `size` thoughts of its sealed session. */
export const pathOfThought = async (tx: ReadTx, thought: ThoughtRow, size: number): Promise<ThoughtProof> => ({
  record: thoughtText(hashedFields(thought)),
  content: thought.content,
  salt: thought.content_salt,
  index: thought.place,
  path: await pathInSession(tx, thought.session_id, thought.place, size),
});

/** Both steps. Undefined where there is no such thought, its session is open, or nothing was signed over its seal yet. */
export const proveThought = async (tx: ReadTx, thoughtId: string): Promise<ProofFile | undefined> => {
  const thought = await findThought(tx, thoughtId);
  const session = thought && (await findSession(tx, thought.session_id));
  if (thought === undefined || session === undefined || session.record_count === null) return undefined;
  const seal = await proveRecord(tx, { log: session.log_id, seq: session.seq });
  if (seal === undefined) return undefined;
  return { ...seal, extra: { ...seal.extra, thought: await pathOfThought(tx, thought, session.record_count) } };
};
