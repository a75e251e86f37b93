// Counts the votes of a round. Each name has one vote; whoever voted twice has none. Pure.

export const VOTES = ['approve', 'reject', 'abstain'] as const;
export type Vote = (typeof VOTES)[number];
export type RoundResult = Exclude<Vote, 'abstain'>;

/** What the count needs of a vote. */
export type CastVote = {
  readonly vote_id: string;
  readonly voter: string;
  readonly vote: Vote;
  readonly root: string;
  /** `equivocation`: a signed statement that the voter tried to vote a second time, and otherwise. */
  readonly form: 'vote' | 'equivocation';
};

export interface VoteTally {
  readonly approve: number;
  readonly reject: number;
  readonly abstain: number;
  /** How many voters voted twice, and therefore do not count. */
  readonly equivocated: number;
}

const ofVoters = <V extends CastVote>(votes: readonly V[]): ReadonlyMap<string, readonly V[]> => {
  const by = new Map<string, V[]>();
  for (const vote of votes) by.set(vote.voter, [...(by.get(vote.voter) ?? []), vote]);
  return by;
};

/** Whether a voter voted twice and not alike, or a store signed that it tried to. */
const isTwice = (of: readonly CastVote[]): boolean =>
  of.some(({ form }) => form === 'equivocation') || new Set(of.map(({ vote, root }) => `${vote} ${root}`)).size > 1;

/** The names that voted twice and not alike, sorted. */
export const equivocators = (votes: readonly CastVote[]): readonly string[] =>
  [...ofVoters(votes)]
    .filter(([, of]) => isTwice(of))
    .map(([voter]) => voter)
    .sort();

/** One vote of each name that voted once, or several times alike (in several stores): the one with the smallest id. Sorted by id. */
export const countedVotes = <V extends CastVote>(votes: readonly V[]): readonly V[] =>
  [...ofVoters(votes).values()]
    .filter((of) => !isTwice(of))
    .flatMap((of) => of.toSorted((a, b) => (a.vote_id < b.vote_id ? -1 : 1)).slice(0, 1))
    .sort((a, b) => (a.vote_id < b.vote_id ? -1 : 1));

export const tallyOf = (votes: readonly CastVote[]): VoteTally => {
  const counted = countedVotes(votes);
  const of = (vote: Vote): number => counted.filter((one) => one.vote === vote).length;
  return {
    ...{ approve: of('approve'), reject: of('reject'), abstain: of('abstain') },
    equivocated: equivocators(votes).length,
  };
};

/** What `need` equal votes have decided; undefined if nothing is decided yet. */
export const roundResultOf = ({ approve, reject }: VoteTally, need: number): RoundResult | undefined => {
  if (approve >= need) return 'approve';
  return reject >= need ? 'reject' : undefined;
};
