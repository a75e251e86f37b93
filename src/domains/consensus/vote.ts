// The tool consensus_vote: signs a vote in a round. Whoever reaches the needed number decides the round, once.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool } from '../../call/define-tool.js';
import { type Ballot, castAttempt, castBallot } from '../../consensus/ballot.js';
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import { lockRound, type RoundRow, roundById } from '../../consensus/round-repository.js';
import { dueDecision, isCredited, recordDecision, setRound, settleRound } from '../../consensus/settle.js';
import { roundStanding } from '../../consensus/standing.js';
import { equivocators, VOTES } from '../../consensus/tally.js';
import { type VoteRow, votesOn } from '../../consensus/vote-repository.js';
import { storeIdOf } from '../../ledger/identity.js';
import { agentNode } from '../../proof/credits.js';
import { flagField, hash, next, redacted, textField } from '../shapes.js';
import { noRound, REFUSALS, type VoteRefusal, votedAlready, voteRefused } from './errors.js';
import {
  type ConsensusCall,
  type ConsensusNeeds,
  callerOf,
  consensusCall,
  type Drawing,
  drawWith,
  heededVoters,
} from './needs.js';
import * as shapes from './shapes.js';
import { assertTimely, assertVoter, keyOfVoter, lineageFor, nameOfVoter, type VoteAttempt } from './who-votes.js';

const input = z.strictObject({
  round_id: shapes.roundIdField,
  vote: arg(z.enum(VOTES), 'The vote. Abstaining says that you looked, and decides nothing.'),
  voter: arg(
    shapes.voterField.optional(),
    "The name that votes; by default that of this process's enrolled voter, else the client's.",
  ),
  reason: arg(shapes.shortText(CONSENSUS_LIMITS.reasonBytes).optional(), 'Why. Its digest is signed.'),
  root: arg(shapes.digestField.optional(), 'The root of the statement that you read, so that you sign no other one.'),
});

/** A vote of a name that voted before and otherwise: recorded, and neither counts while the round is open. */
const votedTwice = async (
  call: ConsensusCall,
  row: RoundRow,
  before: readonly VoteRow[],
  ballot: Ballot,
  extra: HandlerExtra,
) => {
  const own = before.filter(isCredited);
  const isFirst = own.length > 0 && equivocators(own).length === 0;
  await castAttempt(call.work, row, { before, ballot });
  if (isFirst) extra.note({ credits: [{ node: agentNode(ballot.voter), why: 'equivocated' }] });
  const isContested = row.state === 'decided' && row.contested === 0;
  return isContested ? setRound(call.work, row, { contested: 1 }) : row;
};

/** Has the decision recorded that the votes have brought about, if any and if this store decides the round. */
const decideNow = async (
  call: ConsensusCall,
  row: RoundRow,
  heeded: ReadonlySet<string> | undefined,
  extra: HandlerExtra,
) => {
  const { tx, log, now, instance } = call;
  if (row.home !== (await storeIdOf(tx))) return undefined;
  const due = dueDecision(row, await votesOn(tx, row.round_id), heeded);
  if (due === undefined) return undefined;
  extra.note({ credits: due.credits });
  extra.follow((inTx) => recordDecision(inTx, { log, at: now, instance }, row.round_id, due));
  extra.afterCommit(extra.signSoon);
  return due;
};

/** The round as it is now: its voters drawn, or its time over, if that is due. */
const roundNow = async (call: ConsensusCall, roundId: string, extra: HandlerExtra): Promise<RoundRow> => {
  const { tx, work } = call;
  await lockRound(tx, roundId);
  const row = await roundById(tx, roundId);
  if (row === undefined) throw noRound(roundId);
  if (row.home !== (await storeIdOf(tx))) return row;
  return (await settleRound(work, row, drawWith((extra.prepared as { drawing: Drawing }).drawing, call))).row;
};

export const consensusVote = defineTool({
  name: 'consensus_vote',
  title: 'Vote',
  description: 'Sign your vote in a round that you have read. A second, other vote voids both.',
  when: 'When you are a voter of a round and have looked. The vote is signed and cannot be changed: a second one that says something else is recorded, and then neither counts.',
  effect: 'write',
  input,
  output: z.strictObject({
    vote_signed: flagField,
    equivocation: z.literal(true).optional().describe('You voted before, and otherwise: recorded, and not counted.'),
    sig_b64: textField.optional().describe('The Ed25519 signature over the RFC 8785 text of the vote.'),
    vote_id: hash.optional(),
    identity: z.enum(['claimed', 'enrolled']).describe('Whether the name is only claimed, or signed with its own key.'),
    level: shapes.levelShape,
    result: shapes.resultShape,
    tally: shapes.tallyShape,
    contested: flagField,
    redacted,
  }),
  errors: {
    ROUND_NOT_FOUND: { when: 'there is no such round', details: { round_id: textField, next } },
    ALREADY_VOTED: {
      when: 'the same name has cast the same vote before',
      details: { round_id: shapes.roundIdShape, voter: textField, vote: z.enum(VOTES), next },
    },
    INVALID_KEY: { when: 'an enrolled name votes without its key', details: { reason: textField } },
    VOTE_REFUSED: {
      when: 'who asked, a stranger, or somebody who comes too late votes; `details.reason` says which',
      details: { round_id: shapes.roundIdShape, reason: z.enum(Object.keys(REFUSALS) as [VoteRefusal]), next },
    },
  },
  examples: [
    { args: { round_id: '$consensus_propose.round_id', vote: 'approve', voter: 'bob', reason: 'Tested twice.' } },
    { args: { round_id: '$consensus_propose.round_id', vote: 'approve', voter: 'bob' }, error: 'ALREADY_VOTED' },
    { args: { round_id: '$consensus_propose.round_id', vote: 'reject', voter: 'eve' }, error: 'VOTE_REFUSED' },
    { args: { round_id: '1', vote: 'approve', voter: 'bob' }, error: 'ROUND_NOT_FOUND' },
  ],
  texts: ['reason'],
  prepare: async (_args, { lineage }: ConsensusNeeds) => ({
    drawing: await import('../../consensus/drawing.js'),
    lineage: await lineage(),
  }),
  run: async (args, extra, needs: ConsensusNeeds) => {
    const call = await consensusCall(extra);
    const { tx, log, now, instance, work } = call;
    const prepared = extra.prepared as { readonly drawing: Drawing; readonly lineage: readonly string[] };
    const row = await roundNow(call, args.round_id, extra);
    const voter = await nameOfVoter(tx, args.voter, { ...needs, caller: callerOf(extra) });
    if (voter === undefined) throw voteRefused(row.round_id, 'nameless');
    const heeded = await heededVoters(tx, row, { gates: needs.gates, now });
    const signer = await keyOfVoter(tx, voter, log, needs);
    const votes = await votesOn(tx, row.round_id);
    const root = args.root ?? row.root;
    const attempt: VoteAttempt = { row, voter, identity: signer.identity, instance, root, now, votes, heeded };
    assertVoter(attempt, await lineageFor(tx, row, log, { ...needs, lineage: prepared.lineage }));
    const before = votes.filter((one) => one.voter === voter);
    const ballot: Ballot = { ...signer, voter, vote: args.vote, root, reason: args.reason ?? null, instance };
    const answer = { identity: signer.identity, vote_signed: false };
    if (before.some((one) => one.form === 'vote' && one.vote === args.vote && one.root === root))
      throw votedAlready(row.round_id, voter, args.vote);
    if (before.length > 0) {
      const {
        votes: _votes,
        counted: _counted,
        ...standing
      } = await roundStanding(tx, await votedTwice(call, row, before, ballot, extra), heeded);
      return { ...answer, equivocation: true as const, ...standing };
    }
    assertTimely(attempt);
    const cast = await castBallot(work, row, ballot);
    const due = await decideNow(call, row, heeded, extra);
    const { votes: _votes, counted: _counted, ...standing } = await roundStanding(tx, row, heeded);
    const decided = due && { level: 'QUORUM' as const, result: due.result, tally: due.tally };
    return { ...answer, vote_signed: true, sig_b64: cast.sig, vote_id: cast.row.vote_id, ...standing, ...decided };
  },
});
