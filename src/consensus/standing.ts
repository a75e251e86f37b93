// How far a round has come: who may vote, what counts, and its level. Levels only rise: votes, decisions, checkpoints and signatures are never
// taken out of a store.
import type { ReadTx } from '../store/store.js';
import { firstCheckpointAfter, heardOf } from './heard-repository.js';
import { isAboutAction, type RoundRow, votersOf } from './round-repository.js';
import { bodyIn } from './signed.js';
import { countedVotes, equivocators, type RoundResult, tallyOf, type VoteTally } from './tally.js';
import { allVotesOn, type VoteRow, votesOn } from './vote-repository.js';

/** PENDING: no vote yet. SOFT: a vote. QUORUM: decided. HARD: a signed checkpoint covers the decision. ABSOLUTE: somebody else signed one that does. */
export const LEVELS = ['PENDING', 'SOFT', 'QUORUM', 'HARD', 'ABSOLUTE'] as const;
export type RoundLevel = (typeof LEVELS)[number];

export interface RoundStanding {
  readonly level: RoundLevel;
  readonly result: RoundResult | null;
  readonly tally: VoteTally;
  readonly contested: boolean;
  /** All votes that are known, also those that do not count. */
  readonly votes: readonly VoteRow[];
  /** The ids of the votes that count: of a decided round those that its decision names. */
  readonly counted: ReadonlySet<string>;
}

/** Whether this name may vote in the round at all. */
export const isVoterOf = (row: RoundRow, name: string): boolean => {
  const voters = votersOf(row);
  return voters !== undefined && name !== row.requester && (voters.length === 0 || voters.includes(name));
};

/**
 * The votes on a round of those who may vote: of its voters, never of its requester, and about an action only of enrolled voters. `heeded`: the
 * only names that count, where reputation binds.
 */
export const eligibleVotes = (
  row: RoundRow,
  votes: readonly VoteRow[],
  heeded?: ReadonlySet<string>,
): readonly VoteRow[] => {
  const isAction = isAboutAction(row);
  return votes.filter(
    ({ voter, identity }) =>
      isVoterOf(row, voter) && (!isAction || identity === 'enrolled') && (heeded === undefined || heeded.has(voter)),
  );
};

/** The votes that the decision rests on: eligible, of voters who voted once, and about this statement. */
export const votesForDecision = (row: RoundRow, eligible: readonly VoteRow[]): readonly VoteRow[] =>
  countedVotes(eligible).filter(({ root }) => root === row.root);

const liveTally = (row: RoundRow, eligible: readonly VoteRow[]): VoteTally => ({
  ...tallyOf(votesForDecision(row, eligible)),
  equivocated: equivocators(eligible).length,
});

/** Whether a checkpoint that its log signed covers the decision of a round. */
const isCovered = async (tx: ReadTx, { decided_log, decided_seq }: RoundRow): Promise<boolean> => {
  if (decided_log === null || decided_seq === null) return false;
  const own = await firstCheckpointAfter(tx, decided_log, decided_seq);
  return own !== undefined || (await heardOf(tx, 'checkpoint', decided_log, decided_seq)).length > 0;
};

const levelOf = async (tx: ReadTx, row: RoundRow, votes: readonly VoteRow[]): Promise<RoundLevel> => {
  if (row.cosigned_by !== null) return 'ABSOLUTE';
  if (row.decision !== null) return (await isCovered(tx, row)) ? 'HARD' : 'QUORUM';
  return votes.length > 0 ? 'SOFT' : 'PENDING';
};

export const roundStanding = async (
  tx: ReadTx,
  row: RoundRow,
  heeded?: ReadonlySet<string>,
): Promise<RoundStanding> => {
  const all = await allVotesOn(tx, row.round_id);
  const eligible = eligibleVotes(row, await votesOn(tx, row.round_id), heeded);
  const decision = row.decision === null ? undefined : bodyIn(row.decision);
  const counted = decision
    ? (decision.votes as string[])
    : votesForDecision(row, eligible).map(({ vote_id }) => vote_id);
  return {
    level: await levelOf(tx, row, eligibleVotes(row, all)),
    result: row.result,
    tally: decision ? (decision.tally as VoteTally) : liveTally(row, eligible),
    contested: row.contested === 1,
    ...{ votes: all, counted: new Set(counted) },
  };
};
