// One tool of one server, as the five stages use it: its arguments are checked, it is called, or it is refused.
import type { CheckedArguments, ProxiedTool } from '../../call/context.js';
import { type Alternative, refusalResult } from '../refusal.js';
import { callDirectly } from '../route/direct-call.js';
import type { LinksSeen, LiveServer } from '../route/live-provider.js';
import type { PublicTool } from './proxy-tools.js';
import type { ArgumentChecks } from './proxy-tools-check.js';

export interface ToolParts {
  readonly tool: PublicTool;
  /** Its server, with the current settings. */
  readonly at: LiveServer;
  readonly checks: ArgumentChecks;
  readonly nowMs: () => number;
  /** Other tools that a refusal may suggest. */
  readonly alternatives: () => readonly Alternative[];
  /** Called with the resources that a result links to. */
  readonly seen: LinksSeen;
}

export const proxiedTool = ({ tool, at, checks, ...rest }: ToolParts): ProxiedTool => ({
  check: (args: unknown): CheckedArguments | Promise<CheckedArguments> =>
    checks.check(args, { schema: tool.inputSchema, validate: at.config.validate }),

  call: (args, request) => callDirectly({ place: tool, at, args, request, ...rest }),

  refusal: ({ code, message, details }) => {
    const place = { server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() };
    return { ...refusalResult(message, { code, message, details: { ...place, ...details } }) };
  },
});
