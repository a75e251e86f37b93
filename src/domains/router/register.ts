// Registers the four router tools, in the order in which clients list them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { routerCall } from './call.js';
import { routerFallback } from './fallback.js';
import { routerScore } from './score.js';
import { routerStats } from './stats.js';

export const registerRouterTools = (ctx: ColibriServerContext): void =>
  registerTools(ctx, [routerScore, routerCall, routerFallback, routerStats], async () => ctx.switchboard?.router());
