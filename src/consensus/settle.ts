// What becomes of a round of this store: its voters are drawn, it is decided, or its time runs out. Nothing runs by itself: whoever votes or asks
// settles what is due. A decision is a record of its own, in the transaction of the call that brought it about.
import { readSize } from '../ledger/head.js';
import { append } from '../ledger/ledger.js';
import type { OwnLog } from '../ledger/own-log.js';
import { agentNode, type Credit } from '../proof/credits.js';
import type { Subject } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import type { DrawnVoters } from './drawing.js';
import { changeRound, proposalIn, type RoundRow, roundById, votersOf } from './round-repository.js';
import type { NamingRecord } from './rows.js';
import { signStatement } from './signed.js';
import { eligibleVotes, votesForDecision } from './standing.js';
import { equivocators, type RoundResult, roundResultOf, tallyOf, type VoteTally } from './tally.js';
import { type VoteRow, votesOn } from './vote-repository.js';

/** A transaction, and the record that will name what it changes. */
export interface ConsensusWork {
  readonly tx: Tx;
  readonly place: NamingRecord;
  /** To be called with each changed row. */
  readonly add: (subject: Subject) => void;
}

export const isLate = ({ expires_at }: Pick<RoundRow, 'expires_at'>, at: string): boolean => expires_at <= at;

const isRunning = ({ state }: RoundRow): boolean => state === 'drawing' || state === 'open';

const credit = (voter: string, why: Credit['why']): Credit => ({ node: agentNode(voter), why });

/** Whether a vote counts for reputation. What another store says of a name that is only claimed does not: anybody can say it. */
export const isCredited = ({ identity, instance }: VoteRow): boolean => identity === 'enrolled' || instance !== null;

/** Changes a round in the work's transaction. */
export const setRound = async (
  { tx, place, add }: ConsensusWork,
  row: RoundRow,
  change: Parameters<typeof changeRound>[3],
): Promise<RoundRow> => {
  const changed = await changeRound(tx, place, row, change);
  add(changed.subject);
  return changed.row;
};

/** Those who were drawn and have not voted. */
const silentVoters = (row: RoundRow, votes: readonly VoteRow[]): readonly string[] => {
  if (proposalIn(row).rules.draw === null) return [];
  const heard = new Set(votes.map(({ voter }) => voter));
  return (votersOf(row) ?? []).filter((name) => !heard.has(name));
};

export interface SettledRound {
  readonly row: RoundRow;
  readonly credits: readonly Credit[];
}

/** Lets the time of a round run out, or has its voters drawn, if either is due. `isHome`: whether this store decides the round. */
export const settleRound = async (
  work: ConsensusWork,
  row: RoundRow,
  draw: (row: RoundRow) => Promise<DrawnVoters | undefined>,
): Promise<SettledRound> => {
  if (!isRunning(row)) return { row, credits: [] };
  if (isLate(row, work.place.at)) {
    const silent = silentVoters(row, await votesOn(work.tx, row.round_id));
    return {
      row: await setRound(work, row, { state: 'expired' }),
      credits: silent.map((one) => credit(one, 'silent')),
    };
  }
  const drawn = row.state === 'drawing' ? await draw(row) : undefined;
  if (drawn === undefined) return { row, credits: [] };
  const change = { state: 'open', voters: JSON.stringify(drawn.voters), drawing: drawn.drawing.text } as const;
  return { row: await setRound(work, row, change), credits: [] };
};

/** A decision that is due. */
export interface DueDecision {
  readonly result: RoundResult;
  readonly tally: VoteTally;
  /** The ids of the votes that it rests on. */
  readonly votes: readonly string[];
  readonly credits: readonly Credit[];
}

/** What the votes on an open round have decided; undefined if nothing. */
export const dueDecision = (
  row: RoundRow,
  votes: readonly VoteRow[],
  heeded?: ReadonlySet<string>,
): DueDecision | undefined => {
  if (row.state !== 'open') return undefined;
  const eligible = eligibleVotes(row, votes, heeded);
  const counted = votesForDecision(row, eligible);
  const tally = { ...tallyOf(counted), equivocated: equivocators(eligible).length };
  const result = roundResultOf(tally, row.need);
  if (result === undefined) return undefined;
  const said = counted.filter(({ vote }) => vote !== 'abstain');
  // One voter alone always agrees with the result.
  const judged = said.length > 1 ? said.filter(isCredited) : [];
  return {
    ...{ result, tally, votes: counted.map(({ vote_id }) => vote_id) },
    credits: [
      ...judged.map(({ voter, vote }) => credit(voter, vote === result ? 'agreed' : 'disagreed')),
      ...silentVoters(row, votes).map((voter) => credit(voter, 'silent')),
    ],
  };
};

/** Where a decision is recorded. */
export interface DecisionBooks {
  readonly log: OwnLog;
  readonly at: string;
  readonly instance: string;
}

/** Writes the decision of a round with its record, which is the next one of the log. */
export const recordDecision = async (
  tx: Tx,
  { log, at, instance }: DecisionBooks,
  roundId: string,
  { result, tally, votes }: DueDecision,
): Promise<void> => {
  const row = await roundById(tx, roundId);
  if (row?.state !== 'open') throw new Error(`round ${roundId} is not open`);
  const seq = await readSize(tx, log.id);
  const { root } = row;
  const body = { v: 1, kind: 'decided', round_id: roundId, root, result, tally, votes, log: log.id, seq, at };
  const decision = signStatement(body, log).text;
  const { subject } = await changeRound(tx, { log, at, seq }, row, {
    ...{ state: 'decided', result, decision, decided_log: log.id, decided_seq: seq },
  });
  const { approve, reject, abstain } = tally;
  const said = { round_id: roundId, root, result, approve, reject, abstain };
  await append(tx, log, [{ at, record: { kind: 'decided', instance, ...said, subjects: [subject] } }]);
};
