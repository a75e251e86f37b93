// The errors of the proof tools: a code, a message that says what to do, and details with calls that the client can send as they are.
import { DomainError } from '../../middleware/envelope.js';
import { type NextCall, nextCall, short } from '../refusal.js';
import { CONTENT_TEMPLATE, LIST_THOUGHTS, noSession, thoughtsIn } from '../trail/errors.js';
import type { SessionRow } from '../trail/repository.js';
import type { ThoughtRow } from '../trail/thought.js';

export const noSuchSession = (session_id: string): DomainError =>
  noSession(
    'ERR_SESSION_NOT_FOUND',
    session_id,
    [LIST_THOUGHTS],
    'thought_record_list shows thoughts with their sessions.',
  );

const rootOf = (session_id: string): NextCall => nextCall('merkle_root', { session_id });
const finalize = (session_id: string): NextCall => nextCall('merkle_finalize', { session_id });
const firstThought = (session_id: string): NextCall =>
  nextCall('thought_record', { session_id, type: 'reflection', content: CONTENT_TEMPLATE });

export const alreadyFinalized = ({ session_id, finalized_at }: SessionRow): DomainError =>
  new DomainError(
    'ERR_ALREADY_FINALIZED',
    `Session ${short(session_id)} was finalized at ${finalized_at}. merkle_root gives its root and its proofs.`,
    { session_id, finalized_at, next: [rootOf(session_id)] },
  );

export const noRecords = (session_id: string): DomainError =>
  new DomainError(
    'ERR_NO_RECORDS',
    `Session ${short(session_id)} has no thoughts, so there is nothing to seal. Record one first.`,
    { session_id, next: [firstThought(session_id), finalize(session_id)] },
  );

/**
 * The error for an open session, which has no root yet. It advises to seal the session, after a first thought if there is none; if the
 * caller may not write (`mayWrite`), to read the session.
 */
export const notFinalized = (session_id: string, isEmpty: boolean, mayWrite: boolean): DomainError => {
  const seal = isEmpty ? [firstThought(session_id), finalize(session_id)] : [finalize(session_id)];
  return new DomainError(
    'ERR_NOT_FINALIZED',
    `Session ${short(session_id)} is still open: it has no root yet. merkle_finalize seals it, for good.`,
    { session_id, next: mayWrite ? [...seal, rootOf(session_id)] : [thoughtsIn(session_id)] },
  );
};

/** The error for a thought that is not in the session. `found` is the thought, if it exists in another session. */
export const notInSession = (session_id: string, thought_id: string, found: ThoughtRow | undefined): DomainError =>
  new DomainError(
    'ERR_NOT_FOUND',
    found === undefined
      ? `There is no thought ${short(thought_id)}. thought_record_list shows those of the session.`
      : `Thought ${thought_id} is in session ${short(found.session_id)}, not in ${short(session_id)}.`,
    {
      session_id,
      thought_id,
      ...(found !== undefined && { found_in: found.session_id }),
      next: [thoughtsIn(found?.session_id ?? session_id)],
    },
  );
