// server_ping: is anybody there, and who.
import * as z from 'zod';
import type { ColibriServerContext } from '../call/context.js';
import { registerColibriTool } from '../call/registry.js';
import { RUNTIME_MODES } from '../modes.js';

export const registerPingTool = (ctx: ColibriServerContext): void =>
  registerColibriTool(
    ctx,
    'server_ping',
    {
      title: 'Ping',
      description: 'Check that Colibri answers. Use it when another call hung or failed and you want to know why.',
      inputSchema: z.object({}),
      outputSchema: z.object({
        version: z.string(),
        mode: z.enum(RUNTIME_MODES),
        uptime_ms: z.int().nonnegative(),
      }),
      effect: 'read',
      vital: true,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    () => ({ version: ctx.version, mode: ctx.mode, uptime_ms: Math.floor(ctx.nowMs() - ctx.bootStartMs) }),
  );
