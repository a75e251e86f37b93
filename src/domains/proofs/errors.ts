// The errors of the proof tools: a code, a message that says what to do, and details with calls that the client can send as they are.
import { DomainError } from '../../middleware/envelope.js';
import { type NextCall, nextCall, short } from '../refusal.js';
import { LIST_THOUGHTS, noSession, thoughtsIn } from '../trail/errors.js';
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
    { session_id, next: [thoughtsIn(session_id)] },
  );

/** The error for an open session, which has no root yet. Advises to seal the session only if the caller opened it and may seal it now. */
export const notFinalized = ({ session_id, opened_by }: SessionRow, maySeal: boolean): DomainError => {
  const isOwn = opened_by === 'agent';
  return new DomainError(
    'ERR_NOT_FINALIZED',
    `Session ${short(session_id)} is still open: it has no root yet. ${
      isOwn ? 'merkle_finalize seals it, for good.' : 'Colibri seals it, at the latest when its task has ended.'
    }`,
    { session_id, next: isOwn && maySeal ? [finalize(session_id), rootOf(session_id)] : [thoughtsIn(session_id)] },
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

const proofWithoutFile = (session_id: string, thought_id: string | undefined): NextCall =>
  nextCall('merkle_root', { session_id, ...(thought_id !== undefined && { thought_id }) });

/** The error for a file that is asked for in mode READONLY. */
export const noFileHere = (session_id: string, thought_id: string | undefined): DomainError =>
  new DomainError('ERR_READ_ONLY', 'No file is written in mode READONLY. Leave file out to get the proof itself.', {
    next: [proofWithoutFile(session_id, thought_id)],
  });

export const notWritten = (session_id: string, thought_id: string, path: string, reason: string): DomainError =>
  new DomainError(
    'ERR_PROOF_NOT_WRITTEN',
    `The proof file was not written: ${reason}. Leave file out to get the proof itself.`,
    {
      path,
      reason,
      next: [proofWithoutFile(session_id, thought_id)],
    },
  );
