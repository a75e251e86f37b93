// Registers the tools that are listed only if COLIBRI_TOOLSETS names their set. Loaded only then.
import type { ColibriServerContext } from '../call/context.js';
import { registerTools } from '../call/registry.js';
import type { Toolset } from '../config.js';
import { vrfEval } from '../domains/consensus/vrf-eval.js';
import { reputationCheckGates } from '../domains/reputation/check-gates.js';
import { reputationGet } from '../domains/reputation/get.js';
import { reputationHistory } from '../domains/reputation/history.js';
import { reputationLeaderboard } from '../domains/reputation/leaderboard.js';

/** The tools of each set besides `core`, in the order in which they are listed. */
export const registerToolsets = (ctx: ColibriServerContext, toolsets: readonly Toolset[], gates = false): void => {
  if (toolsets.includes('reputation')) {
    const tools = [reputationGet, reputationHistory, reputationLeaderboard, reputationCheckGates];
    registerTools(ctx, tools, { gates });
  }
  if (toolsets.includes('consensus')) registerTools(ctx, [vrfEval], {});
};
