// The refusals of the tools of consensus: a code, a message, and details with calls that the client can send as they are.
import { ColibriError } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import { nextCall, short } from '../refusal.js';

const finality = (round_id: string) => nextCall('consensus_finality', { round_id });

export const noRound = (round_id: string): DomainError =>
  new DomainError('ROUND_NOT_FOUND', short(round_id), { round_id, next: [] });

export const votedAlready = (round_id: string, voter: string, vote: string): DomainError =>
  new DomainError('ALREADY_VOTED', `${short(voter)} voted ${vote} in round ${round_id} before. Nothing changed.`, {
    ...{ round_id, voter, vote },
    next: [finality(round_id)],
  });

export const badKey = (reason: string): DomainError => new DomainError('INVALID_KEY', reason, { reason });

/** Why a vote does not count. */
export const REFUSALS = {
  requester: 'who asked for a decision has no vote on it',
  asker: 'the client that asked for a decision has no vote on it, from none of its processes',
  unseen: 'not every process that may stand above this one can be seen, so the client that asked may be among them',
  stranger: 'this name is not among the voters of the round',
  'not enrolled': 'only voters that a person enrolled (colibri voters add) decide about a call',
  instance: 'another voter has voted from this process, and one process counts once',
  drawing: 'the voters are not drawn yet; ask again when the log was signed',
  decided: 'the round is decided',
  expired: 'the time of the round is over',
  root: 'the root is not that of the statement of this round',
  score: 'enough voters of the round may arbitrate, and this one may not (COLIBRI_GATES)',
  full: 'as many names as can have voted',
  nameless: 'nobody says who votes; give voter',
} as const;
export type VoteRefusal = keyof typeof REFUSALS;

export const voteRefused = (round_id: string, reason: VoteRefusal): DomainError =>
  new DomainError('VOTE_REFUSED', `${REFUSALS[reason]}.`, {
    ...{ round_id, reason },
    next: reason === 'nameless' ? [] : [finality(round_id)],
  });

export const drawnBefore = (round_id: string): DomainError =>
  new DomainError(
    'DRAWN_ALREADY',
    `A statement has one draw, and round ${round_id} has it with another pool or number. Use those, or name the voters.`,
    { round_id, next: [finality(round_id)] },
  );

export const badBundle = (reason: string): DomainError => new DomainError('INVALID_BUNDLE', reason, { reason });

export const wrongArgument = (argument: string, why: string): ColibriError =>
  new ColibriError('INVALID_PARAMS', `${argument}: ${why}.`);
