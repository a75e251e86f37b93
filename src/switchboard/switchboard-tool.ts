// One tool of one server as the stages see it.
import type { CheckedArguments, NativeResult, ProxiedTool, ProxyCall, ProxyReply } from '../context.js';
import type { Backend } from './backend.js';
import type { ServerConfig } from './config.js';
import { linksIn } from './owners.js';
import type { PublicTool } from './proxy-tools.js';
import type { ArgumentChecks } from './proxy-tools-check.js';
import { refusalResult } from './refusal.js';

export interface ToolParts {
  readonly tool: PublicTool;
  readonly backend: Pick<Backend, 'call'>;
  /** The server's settings as they are now. */
  readonly settings: () => Pick<ServerConfig, 'validate'>;
  readonly checks: ArgumentChecks;
  /** Resources that a result links to. */
  readonly seen: (uris: readonly string[]) => void;
}

export const proxiedTool = ({ tool, backend, settings, checks, seen }: ToolParts): ProxiedTool => ({
  check: (args: unknown): Promise<CheckedArguments> =>
    checks.check(args, { schema: tool.inputSchema, validate: settings().validate }),

  call: async (args: NativeResult, call: ProxyCall): Promise<ProxyReply> => {
    const { id, signal, meta, onProgress, peer, retry } = call;
    const reply = await backend.call(tool.tool, args, {
      callId: id,
      signal,
      ...(onProgress !== undefined && { onProgress }),
      ...(peer !== undefined && { peer }),
      ...(retry !== undefined && { retry }),
      ...(meta !== undefined && { extra: { _meta: meta } }),
    });
    if (reply.kind === 'result') seen(linksIn(reply.result));
    if (reply.kind !== 'refused') return reply;
    return { kind: 'refused', code: reply.code, sent: reply.sent, result: { ...reply.refusal } };
  },

  refusal: ({ code, message, details }) => {
    const place = { server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() };
    return { ...refusalResult(message, { code, message, details: { ...place, ...details } }) };
  },
});
