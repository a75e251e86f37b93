// What the tools of consensus get from the process, and what they share.

import type { HandlerExtra } from '../../call/context.js';
import { type Writing, writing } from '../../call/define-tool.js';
import type { DrawnVoters } from '../../consensus/drawing.js';
import { proposalIn, type RoundRow, votersOf } from '../../consensus/round-repository.js';
import type { ConsensusWork } from '../../consensus/settle.js';
import type { StatementKey } from '../../consensus/signed.js';
import { isVoterOf } from '../../consensus/standing.js';
import { agentNode, epochOf } from '../../proof/credits.js';
import type { ReadTx } from '../../store/store.js';
import { gatesOf } from '../reputation/gates.js';
import { scoresOf } from '../reputation/shapes.js';

export interface ConsensusNeeds {
  /** Whether scores bind (COLIBRI_GATES). */
  readonly gates: boolean;
  /** The key of the enrolled voter whose process this is, or why it cannot be used; undefined without COLIBRI_VOTER_KEY. */
  readonly voterKey: () => StatementKey | { readonly problem: string } | undefined;
  /** The keys whose signatures under checkpoints count (COLIBRI_WITNESSES). */
  readonly witnesses: readonly string[];
  /** The processes above this one, as they are named in the `asker` of a round. */
  readonly lineage: () => Promise<readonly string[]>;
  /** Whether a process of Colibri lives and cannot be seen from here, so that nobody knows whether its client stands above this one. */
  readonly isHidden: (instance: string, pid: number) => Promise<boolean>;
}

export type Drawing = typeof import('../../consensus/drawing.js');

/** What a tool of consensus needs from its call. */
export interface ConsensusCall extends Writing {
  readonly work: ConsensusWork;
}

export const consensusCall = async (extra: HandlerExtra): Promise<ConsensusCall> => {
  const call = writing(extra);
  const { tx, evidence, log, now } = call;
  const { seq } = await evidence.place();
  return { ...call, work: { tx, place: { log, at: now, seq }, add: (subject) => evidence.add(subject) } };
};

/** Draws for a round of this store, with the functions of a module that only a draw needs. */
export const drawWith =
  ({ drawVoters }: Drawing, { tx, log, now }: ConsensusCall) =>
  (row: RoundRow): Promise<DrawnVoters | undefined> =>
    drawVoters(tx, log, row, now);

/**
 * The voters of a round whose votes count where scores bind: those who may arbitrate, once there are as many as the round needs. Undefined: all
 * of them.
 */
export const heededVoters = async (
  tx: ReadTx,
  row: RoundRow,
  { gates, now }: { readonly gates: boolean; readonly now: string },
): Promise<ReadonlySet<string> | undefined> => {
  if (!gates) return undefined;
  const able = new Set<string>();
  for (const voter of votersOf(row) ?? [])
    if (isVoterOf(row, voter) && gatesOf(await scoresOf(tx, agentNode(voter), epochOf(now))).can_arbitrate)
      able.add(voter);
  return able.size >= row.need ? able : undefined;
};

/** The name of the calling agent as its client gives it; undefined if it gives none. */
export const callerOf = ({ call }: HandlerExtra): string | undefined => call.client?.name || undefined;

/** What an answer says of a round's rules. */
export const rulesShown = (row: RoundRow) => {
  const { rules, rule_version } = proposalIn(row);
  return { root: row.root, rule_version, need: row.need, expires_at: row.expires_at, rules };
};
