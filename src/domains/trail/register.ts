// Registers the four tools of the trail (sessions and thoughts), in the order in which clients list them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { thoughtRecordList } from './list.js';
import { type TrailNeeds, thoughtRecord } from './record.js';
import { auditSessionStart } from './session-start.js';
import { auditVerifyChain } from './verify-chain.js';

export const registerTrailTools = (ctx: ColibriServerContext, needs: TrailNeeds): void =>
  registerTools(ctx, [auditSessionStart, thoughtRecord, thoughtRecordList, auditVerifyChain], needs);
