// The tool server_health: returns a snapshot of the process, read synchronously. The tool never throws and writes no log line, because a
// monitor may call it every few seconds.
import * as z from 'zod';
import { NO_ARGUMENTS } from '../call/argument.js';
import type { ColibriServerContext } from '../call/context.js';
import { defineTool } from '../call/define-tool.js';
import { registerTools } from '../call/registry.js';
import { quietly } from '../errors.js';
import { RUNTIME_MODES } from '../modes.js';

const serverHealth = defineTool({
  name: 'server_health',
  title: 'Health',
  description:
    'See version, mode, uptime and startup phase: phase2 means that the store is open. Use it when a tool answers STORE_UNAVAILABLE.',
  when: 'After `STORE_UNAVAILABLE`: `phase2` means that the store is open. The tool never fails and needs no store. Extra arguments are ignored.',
  effect: 'read',
  vital: true,
  input: NO_ARGUMENTS,
  output: z.strictObject({
    status: z.literal('ok'),
    version: z.string(),
    uptime_ms: z.int().nonnegative(),
    db_tables: z.int().nonnegative().describe('How many tables the store has; 0 while the store is closed.'),
    phase: z.enum(['phase1', 'phase2']).describe('`phase2`: the store is open.'),
    mode: z.enum(RUNTIME_MODES),
  }),
  errors: {},
  examples: [{ args: {} }],
  run: (_args, _extra, ctx: ColibriServerContext) => ({
    status: 'ok' as const,
    version: ctx.version,
    uptime_ms: Math.floor(ctx.nowMs() - ctx.bootStartMs),
    // The store keeps the number of tables in memory; a broken store may throw when it is asked.
    db_tables: quietly(() => ctx.db?.tableCount) ?? 0,
    phase: ctx.phase ?? 'phase1',
    mode: ctx.mode,
  }),
});

/** Registers the tool `server_health`. Must be called before `start`, because clients may ask for the list of tools from then on. */
export function registerHealthTool(ctx: ColibriServerContext): void {
  registerTools(ctx, [serverHealth], ctx);
}
