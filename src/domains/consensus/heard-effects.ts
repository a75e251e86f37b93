// What follows from what a store heard: rounds of its own are decided, double votes are found, and decisions are covered by signatures of others.

import { ownRootAt } from '../../consensus/hear.js';
import { heardOf, isHeard } from '../../consensus/heard-repository.js';
import type { RecordRoom } from '../../consensus/record-room.js';
import { type RoundRow, roundById, roundsToCosign } from '../../consensus/round-repository.js';
import {
  type ConsensusWork,
  type DueDecision,
  dueDecision,
  isCredited,
  setRound,
  settleRound,
} from '../../consensus/settle.js';
import type { SignedStatement } from '../../consensus/signed.js';
import { eligibleVotes } from '../../consensus/standing.js';
import { equivocators } from '../../consensus/tally.js';
import { type VoteRow, votesOn } from '../../consensus/vote-repository.js';
import { isEnrolled, voterByKey } from '../../consensus/voter-repository.js';
import { agentNode, type Credit } from '../../proof/credits.js';
import { type ConsensusCall, type Drawing, drawWith, heededVoters } from './needs.js';

/** A voter that voted twice, and not alike. */
export interface DoubleVote {
  readonly round_id: string;
  readonly voter: string;
}

export interface RoundDecision {
  readonly round_id: string;
  readonly due: DueDecision;
}

export interface HeardEffects {
  readonly credits: readonly Credit[];
  readonly found: readonly DoubleVote[];
  readonly decisions: readonly RoundDecision[];
}

interface EffectNeeds {
  readonly store: string;
  readonly gates: boolean;
  readonly drawing: Drawing;
}

/** Those who are found to have voted twice now that there are these votes, and were not without the new ones. */
const newlyTwice = (votes: readonly VoteRow[], fresh: ReadonlySet<string>): readonly string[] => {
  const before = new Set(equivocators(votes.filter(({ vote_id }) => !fresh.has(vote_id))));
  return equivocators(votes).filter((voter) => !before.has(voter));
};

/** The double votes on a round that the new votes brought to light, whom they are a failure of, and the round, which they contest if it is decided. */
const doubleVotes = async (work: ConsensusWork, row: RoundRow, fresh: ReadonlySet<string>) => {
  const eligible = eligibleVotes(row, await votesOn(work.tx, row.round_id));
  const isContested = row.state === 'decided' && row.contested === 0 && equivocators(eligible).length > 0;
  return {
    row: isContested ? await setRound(work, row, { contested: 1 }) : row,
    found: newlyTwice(eligible, fresh).map((voter) => ({ round_id: row.round_id, voter })),
    blamed: newlyTwice(eligible.filter(isCredited), fresh),
  };
};

const effectsOn = async (call: ConsensusCall, row: RoundRow, fresh: ReadonlySet<string>, needs: EffectNeeds) => {
  const { tx, work, now } = call;
  const isHome = row.home === needs.store;
  const settled = isHome ? await settleRound(work, row, drawWith(needs.drawing, call)) : { row, credits: [] };
  const { row: seen, found, blamed } = await doubleVotes(work, settled.row, fresh);
  const heeded = isHome ? await heededVoters(tx, seen, { gates: needs.gates, now }) : undefined;
  const due = isHome ? dueDecision(seen, await votesOn(tx, seen.round_id), heeded) : undefined;
  const twice = isHome ? blamed.map((voter): Credit => ({ node: agentNode(voter), why: 'equivocated' })) : [];
  return { due, found, credits: [...settled.credits, ...twice, ...(due?.credits ?? [])] };
};

/** What follows for the rounds that new statements are about. Only the home of a round decides it, and only there it counts for reputation. */
export const roundEffects = async (
  call: ConsensusCall,
  statements: readonly SignedStatement[],
  needs: EffectNeeds,
): Promise<HeardEffects> => {
  const fresh = new Set(statements.map(({ id }) => id));
  const ids = new Set(statements.map(({ body }) => body.round_id).filter((id) => typeof id === 'string'));
  const [credits, found, decisions]: [Credit[], DoubleVote[], RoundDecision[]] = [[], [], []];
  for (const round_id of [...ids].sort()) {
    const row = await roundById(call.tx, round_id);
    if (row === undefined) continue;
    const effects = await effectsOn(call, row, fresh, needs);
    credits.push(...effects.credits);
    found.push(...effects.found);
    if (effects.due !== undefined) decisions.push({ round_id, due: effects.due });
  }
  return { credits, found, decisions };
};

/** Whether a checkpoint is one of the log's history, as far as this store knows it. */
const isOfHistory = async (work: ConsensusWork, log: string, size: number, root: string): Promise<boolean> => {
  const own = await ownRootAt(work, log, size);
  if (own !== undefined) return own === root;
  const known = await heardOf(work.tx, 'checkpoint', log, size - 1);
  return known.some((one) => one.size === size && one.root === root);
};

interface CosignNeeds {
  /** Keys that a person named. */
  readonly witnesses: readonly string[];
  readonly room: RecordRoom;
}

/**
 * Notes for decisions whose log somebody else signed that it was an enrolled voter or a witness. Returns how many did not fit into the record: they
 * are noted when the same statements come again.
 */
export const noteCosignatures = async (
  work: ConsensusWork,
  statements: readonly SignedStatement[],
  { witnesses, room }: CosignNeeds,
): Promise<number> => {
  let left = 0;
  for (const { id, body, key } of statements.filter((one) => one.body.kind === 'cosigned')) {
    const [log, size, root] = [String(body.log), Number(body.size), String(body.root)];
    const isTrusted = witnesses.includes(key) || isEnrolled(await voterByKey(work.tx, key));
    if (!isTrusted || !(await isHeard(work.tx, id)) || !(await isOfHistory(work, log, size, root))) continue;
    for (const row of await roundsToCosign(work.tx, log, size))
      if (room.takeRound()) await setRound(work, row, { cosigned_by: key });
      else left += 1;
  }
  return left;
};
