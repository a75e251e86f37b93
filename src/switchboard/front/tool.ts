// One tool of one server as the stages see it.
import type { CheckedArguments, NativeResult, ProxiedTool, ProxyCall, ProxyReply } from '../../call/context.js';
import type { RouteNote } from '../../proof/records.js';
import { type Alternative, refusalResult } from '../refusal.js';
import { callDirectly } from '../route/direct-call.js';
import type { LiveServer, Seen } from '../route/live-provider.js';
import type { TriedReply } from '../server/tries.js';
import type { PublicTool } from './proxy-tools.js';
import type { ArgumentChecks } from './proxy-tools-check.js';

export interface ToolParts {
  readonly tool: PublicTool;
  /** Its server, with its settings as they are now. */
  readonly at: LiveServer;
  readonly checks: ArgumentChecks;
  readonly nowMs: () => number;
  /** Other tools that may do, for a refusal. */
  readonly alternatives: () => readonly Alternative[];
  /** Resources that a result links to. */
  readonly seen: Seen;
}

export const asProxied = (reply: TriedReply, route: RouteNote): ProxyReply => {
  if (reply.kind === 'result') return { kind: 'result', result: reply.result, route };
  if (reply.kind === 'refused')
    return { kind: 'refused', code: reply.code, sent: reply.sent, result: { ...reply.refusal }, route };
  const { tries: _tries, ...answer } = reply;
  return { ...answer, route };
};

export const proxiedTool = ({ tool, at, checks, ...rest }: ToolParts): ProxiedTool => ({
  check: (args: unknown): CheckedArguments | Promise<CheckedArguments> =>
    checks.check(args, { schema: tool.inputSchema, validate: at.config.validate }),

  call: (args: NativeResult, call: ProxyCall): Promise<ProxyReply> =>
    callDirectly({ place: tool, at, args, call, ...rest }, asProxied),

  refusal: ({ code, message, details }) => {
    const place = { server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() };
    return { ...refusalResult(message, { code, message, details: { ...place, ...details } }) };
  },
});
