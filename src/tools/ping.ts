// The tool server_ping: tells that Colibri answers, its version and its mode.
import * as z from 'zod';
import { NO_ARGUMENTS } from '../call/argument.js';
import type { ColibriServerContext } from '../call/context.js';
import { defineTool } from '../call/define-tool.js';
import { registerTools } from '../call/registry.js';
import { RUNTIME_MODES } from '../modes.js';

const serverPing = defineTool({
  name: 'server_ping',
  title: 'Ping',
  description: 'Check that Colibri answers. Use it when another call hung or failed and you want to know why.',
  when: 'To see whether Colibri answers at all, when another call hung or failed. The tool needs no store. Extra arguments are ignored.',
  effect: 'read',
  vital: true,
  input: NO_ARGUMENTS,
  output: z.strictObject({ version: z.string(), mode: z.enum(RUNTIME_MODES), uptime_ms: z.int().nonnegative() }),
  errors: {},
  examples: [{ args: {} }],
  run: (_args, _extra, ctx: ColibriServerContext) => ({
    version: ctx.version,
    mode: ctx.mode,
    uptime_ms: Math.floor(ctx.nowMs() - ctx.bootStartMs),
  }),
});

export const registerPingTool = (ctx: ColibriServerContext): void => registerTools(ctx, [serverPing], ctx);
