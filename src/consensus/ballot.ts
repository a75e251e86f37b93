// Casts a vote: signs it and adds its row, or, for a voter that voted before and otherwise, the signed statement that it tried to vote twice.
import { newSalt } from '../ledger/hashes.js';
import { CONSENSUS_LIMITS } from './limits.js';
import { proposalIn, type RoundRow } from './round-repository.js';
import type { ConsensusWork } from './settle.js';
import { type StatementKey, signStatement } from './signed.js';
import type { Vote } from './tally.js';
import { insertVote, reasonDigest, type VoteCircumstances, type VoteRow } from './vote-repository.js';

/** What somebody wants to say, under which name, and with whose key it is signed. */
export interface Ballot extends Pick<VoteCircumstances, 'identity'> {
  readonly voter: string;
  readonly vote: Vote;
  readonly root: string;
  readonly reason: string | null;
  readonly key: StatementKey;
  readonly instance: string;
}

const commonOf = (row: RoundRow, { root, voter, vote }: Ballot, at: string) => {
  const { rule_version } = proposalIn(row);
  return { v: 1, round_id: row.round_id, root, rule_version, voter, vote, at };
};

/** Signs a vote and adds it. Returns the signature, in base64, with the row. */
export const castBallot = async (
  { tx, place, add }: ConsensusWork,
  row: RoundRow,
  ballot: Ballot,
): Promise<{ readonly row: VoteRow; readonly sig: string }> => {
  const { identity, instance, reason, key } = ballot;
  const reason_salt = reason === null ? null : newSalt().toString('hex');
  const body = { ...commonOf(row, ballot, place.at), kind: 'vote', reason_digest: reasonDigest(reason, reason_salt) };
  const signed = signStatement(body, key);
  const { row: cast, subject } = await insertVote(tx, place, signed, { identity, instance, reason, reason_salt });
  add(subject);
  return { row: cast, sig: signed.sig };
};

/** Adds a signed statement that a voter tried to vote a second time; not for ever, and not the same one again. Returns whether one was added. */
export const castAttempt = async (
  { tx, place, add }: ConsensusWork,
  row: RoundRow,
  { before, ballot }: { readonly before: readonly VoteRow[]; readonly ballot: Ballot },
): Promise<boolean> => {
  const attempts = before.filter(({ form }) => form === 'equivocation');
  const isKnown = attempts.some(({ vote, root }) => vote === ballot.vote && root === ballot.root);
  if (isKnown || attempts.length >= CONSENSUS_LIMITS.keptAttempts) return false;
  const { identity, instance, key } = ballot;
  const signed = signStatement({ ...commonOf(row, ballot, place.at), kind: 'equivocation' }, key);
  const { subject } = await insertVote(tx, place, signed, { identity, instance, reason: null, reason_salt: null });
  add(subject);
  return true;
};
