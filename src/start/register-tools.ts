// Registers Colibri's tools (tasks, sessions, thoughts, proofs, skills, router), in the order in which clients list them.
import { randomBytes } from 'node:crypto';
import type { ColibriServerContext } from '../call/context.js';
import { registerTools } from '../call/registry.js';
import { merkleFinalize } from '../domains/proofs/finalize.js';
import { merkleRoot, type RootNeeds } from '../domains/proofs/root.js';
import { routerCall } from '../domains/router/call.js';
import { routerFallback } from '../domains/router/fallback.js';
import { routerScore } from '../domains/router/score.js';
import { routerStats } from '../domains/router/stats.js';
import { skillList } from '../domains/skills/list.js';
import type { Skills } from '../domains/skills/skills.js';
import { taskCreate } from '../domains/tasks/create.js';
import { taskGet } from '../domains/tasks/get.js';
import { taskList } from '../domains/tasks/list.js';
import { taskNextActions } from '../domains/tasks/next-actions.js';
import { taskUpdate } from '../domains/tasks/update.js';
import type { AskCurrent } from '../domains/tasks/whose.js';
import { thoughtRecordList } from '../domains/trail/list.js';
import { type TrailNeeds, thoughtRecord } from '../domains/trail/record.js';
import { auditSessionStart } from '../domains/trail/session-start.js';
import { auditVerifyChain } from '../domains/trail/verify-chain.js';

/** `gates`: whether scores bind (COLIBRI_GATES). */
export const registerTaskTools = (ctx: ColibriServerContext, current: AskCurrent, gates = false): void =>
  registerTools(ctx, [taskCreate, taskGet, taskUpdate, taskList, taskNextActions], {
    ...{ current, mode: ctx.mode, gates },
    isAlive: async (instance: string) => (await ctx.db?.instances.isAlive(instance)) === true,
    random32: () => randomBytes(4).readUInt32BE(),
  });

/** Registers the tools for sessions, thoughts, proofs and skills, which every server has. */
export const registerTrailTools = (
  ctx: ColibriServerContext,
  { writeProofFile, ...trail }: TrailNeeds & Pick<RootNeeds, 'writeProofFile'>,
  skills: Skills,
): void => {
  registerTools(ctx, [auditSessionStart, thoughtRecord, thoughtRecordList, auditVerifyChain], trail);
  registerTools(ctx, [merkleFinalize], ctx);
  registerTools(ctx, [merkleRoot], { mode: ctx.mode, writeProofFile });
  registerTools(ctx, [skillList], skills);
};

/** Registers the router tools, which only a server with a switchboard has. */
export const registerRouterTools = (ctx: ColibriServerContext): void =>
  registerTools(ctx, [routerScore, routerCall, routerFallback, routerStats], async () => ctx.switchboard?.router());
