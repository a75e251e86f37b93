// One tool of one server as the stages see it.
import type { CheckedArguments, NativeResult, ProxiedTool, ProxyCall, ProxyReply } from '../context.js';
import type { Backend } from './backend.js';
import type { ServerConfig } from './config.js';
import type { PublicTool } from './proxy-tools.js';
import type { ArgumentChecks } from './proxy-tools-check.js';
import { refusalResult } from './refusal.js';

export interface ToolParts {
  readonly tool: PublicTool;
  readonly backend: Pick<Backend, 'call'>;
  /** The server's settings as they are now. */
  readonly settings: () => Pick<ServerConfig, 'validate'>;
  readonly checks: ArgumentChecks;
}

export const proxiedTool = ({ tool, backend, settings, checks }: ToolParts): ProxiedTool => ({
  check: (args: unknown): Promise<CheckedArguments> =>
    checks.check(args, { schema: tool.inputSchema, validate: settings().validate }),

  call: async (args: NativeResult, { id, signal, meta, onProgress }: ProxyCall): Promise<ProxyReply> => {
    const reply = await backend.call(tool.tool, args, {
      callId: id,
      signal,
      ...(onProgress !== undefined && { onProgress }),
      ...(meta !== undefined && { extra: { _meta: meta } }),
    });
    if (reply.kind !== 'refused') return reply;
    return { kind: 'refused', code: reply.code, sent: reply.sent, result: { ...reply.refusal } };
  },

  refusal: ({ code, message, details }) => {
    const place = { server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() };
    return { ...refusalResult(message, { code, message, details: { ...place, ...details } }) };
  },
});
