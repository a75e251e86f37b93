// server_health: a snapshot of the process, read synchronously. It never throws and writes no log line: a probe
// every few seconds must not flood stderr.
import * as z from 'zod';
import type { ColibriServerContext } from '../call/context.js';
import { registerColibriTool } from '../call/registry.js';
import { RUNTIME_MODES } from '../modes.js';

/** The port keeps the count; a handle that is closed or broken counts nothing. */
const countTables = (db: ColibriServerContext['db']): number => {
  try {
    return db?.tableCount ?? 0;
  } catch {
    return 0;
  }
};

/** Registers `server_health`. Must be called before `start`. */
export function registerHealthTool(ctx: ColibriServerContext): void {
  registerColibriTool(
    ctx,
    'server_health',
    {
      title: 'Health',
      description:
        'See version, mode, uptime and startup phase: phase2 means that the store is open. Use it when a tool answers STORE_UNAVAILABLE.',
      inputSchema: z.object({}),
      outputSchema: z.object({
        status: z.literal('ok'),
        version: z.string().min(1),
        uptime_ms: z.int().nonnegative(),
        db_tables: z.int().nonnegative(),
        phase: z.enum(['phase1', 'phase2']),
        mode: z.enum(RUNTIME_MODES),
      }),
      effect: 'read',
      vital: true,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    () => ({
      status: 'ok',
      version: ctx.version,
      uptime_ms: Math.floor(ctx.nowMs() - ctx.bootStartMs),
      db_tables: countTables(ctx.db),
      phase: ctx.phase ?? 'phase1',
      mode: ctx.mode,
    }),
  );
}
