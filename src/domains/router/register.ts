// The four router tools, in the order in which they are listed.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { routerCall } from './call.js';
import { routerFallback } from './fallback.js';
import { routerScore } from './score.js';
import { routerStats } from './stats.js';

export const registerRouterTools = (ctx: ColibriServerContext): void =>
  registerTools(ctx, [routerScore, routerCall, routerFallback, routerStats], async () => ctx.switchboard?.router());
