// Registers the tools that are listed only if COLIBRI_TOOLSETS names their set. Loaded only then.
import type { ColibriServerContext } from '../call/context.js';
import { registerTools } from '../call/registry.js';
import type { Config } from '../config.js';
import { UNSEEN } from '../core/unseen.js';
import { consensusFinality } from '../domains/consensus/finality.js';
import { consensusGossip } from '../domains/consensus/gossip.js';
import type { ConsensusNeeds } from '../domains/consensus/needs.js';
import { consensusPropose } from '../domains/consensus/propose.js';
import { consensusVote } from '../domains/consensus/vote.js';
import { vrfEval } from '../domains/consensus/vrf-eval.js';
import { reputationCheckGates } from '../domains/reputation/check-gates.js';
import { reputationGet } from '../domains/reputation/get.js';
import { reputationHistory } from '../domains/reputation/history.js';
import { reputationLeaderboard } from '../domains/reputation/leaderboard.js';
import { ancestorNames, clientProcesses } from '../switchboard/approval/lineage.js';
import { readVoterKey } from './voter-key.js';

/** The settings that the tools of the sets need. */
type ToolsetSettings = Pick<Config, 'gates' | 'toolsets' | 'voterKey' | 'witnesses'>;

/** The five tools of the set `consensus`. The key file is read for every vote: it may have come since the start. */
export const registerConsensus = (ctx: ColibriServerContext, { gates, voterKey, witnesses }: ToolsetSettings): void => {
  const needs: ConsensusNeeds = {
    gates: gates === 'on',
    voterKey: () => (voterKey === undefined ? undefined : readVoterKey(voterKey)),
    witnesses,
    lineage: ancestorNames,
    isHidden: async (instance, pid) =>
      (await clientProcesses(pid)).includes(UNSEEN) && (await ctx.db?.instances.isAlive(instance)) === true,
  };
  registerTools(ctx, [consensusPropose, consensusVote, consensusFinality, consensusGossip], needs);
  registerTools(ctx, [vrfEval], {});
};

/** The tools of each set besides `core`, in the order in which they are listed. */
export const registerToolsets = (ctx: ColibriServerContext, config: ToolsetSettings): void => {
  const { toolsets } = config;
  const gates = config.gates === 'on';
  if (toolsets.includes('reputation')) {
    const tools = [reputationGet, reputationHistory, reputationLeaderboard, reputationCheckGates];
    registerTools(ctx, tools, { gates });
  }
  if (toolsets.includes('consensus')) registerConsensus(ctx, config);
};
