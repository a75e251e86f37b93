// The door: one stateless SDK server per connection, for either protocol era. `tools/call` reaches us through the
// fallback handler, because the SDK's own would answer unknown tools and bad arguments before they are recorded.
import {
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Cancellation, cancelledBy } from '../cancellation.js';
import type { ClientIdentity, HostIdentity } from '../ledger/records.js';
import { name } from '../ledger/records.js';
import type { Reply, ToolResult } from '../middleware/envelope.js';
import { hostOf } from './host.js';
import { type HostedSkills, SKILLS_CAPABILITIES, serveSkills } from './skills.js';

/** A `tools/call` as it came. */
export interface CallRequest {
  readonly name: unknown;
  readonly args: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
  readonly meta: unknown;
  /** Present where the client asked for progress. */
  readonly onProgress: OnProgress | undefined;
}

export type OnProgress = (params: Readonly<Record<string, unknown>>) => void;

export interface ListedTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface Behind {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions: string;
  listTools(): readonly ListedTool[] | Promise<readonly ListedTool[]>;
  /** Where the list may change: calls back whenever it has, and returns how to take that back. */
  onToolsChanged?: ((listener: () => void) => () => void) | undefined;
  call(request: CallRequest): Promise<Reply>;
  /** Served to hosts where there are any. */
  readonly skills?: HostedSkills | undefined;
  /** The SDK let a call with this envelope through (undefined in the old era). */
  accepted?(envelope: unknown, client: ClientIdentity | null): void;
}

const text = (value: unknown): string => (typeof value === 'string' ? name(value) : '');

const identity = (info: unknown, protocol: unknown): ClientIdentity | null => {
  if (typeof info !== 'object' || info === null) return null;
  const { name: client, version } = info as { name?: unknown; version?: unknown };
  return { name: text(client), version: text(version), protocol: text(protocol) };
};

/** Who calls: the handshake told us in the old era, every request tells us in the new one. */
const clientOf = (server: Server, { mcpReq }: ServerContext): ClientIdentity | null => {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return envelope === undefined
    ? identity(server.getClientVersion(), server.getNegotiatedProtocolVersion())
    : identity(envelope[CLIENT_INFO_META_KEY], envelope[PROTOCOL_VERSION_META_KEY]);
};

/** Where a client wants progress sent, if it said so. */
export const progressTokenOf = (meta: unknown): string | number | undefined => {
  const token =
    typeof meta === 'object' && meta !== null ? (meta as { progressToken?: unknown }).progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
};

/** To the client of the call, under the client's own token. Nobody waits for it. */
const progressTo = (meta: unknown, { mcpReq }: ServerContext): OnProgress | undefined => {
  const progressToken = progressTokenOf(meta);
  if (progressToken === undefined) return undefined;
  return (params) => {
    const notification = { method: 'notifications/progress', params: { ...params, progressToken } };
    mcpReq.notify(notification as never).catch(() => {});
  };
};

/** Clients of the old era take structured content only as an object; servers of the new one may give anything. */
export const forOldEra = (result: ToolResult): ToolResult => {
  const { structuredContent, content } = result as { structuredContent?: unknown; content?: unknown };
  const isObject =
    typeof structuredContent === 'object' && structuredContent !== null && !Array.isArray(structuredContent);
  if (structuredContent === undefined || isObject) return result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const hasText = blocks.some((block) => (block as { type?: unknown } | null)?.type === 'text');
  const text = { type: 'text', text: JSON.stringify(structuredContent) };
  const projected = { content: hasText ? blocks : [...blocks, text], structuredContent: { result: structuredContent } };
  return { ...result, ...projected } as unknown as ToolResult;
};

const answer = (reply: Reply, isModern: boolean): Result => {
  if ('result' in reply) return { ...(isModern ? reply.result : forOldEra(reply.result)) };
  throw ProtocolError.fromError(reply.error.code, reply.error.message, reply.error.data);
};

/** Tells the client of changes for as long as the door is open. The SDK knows who listens. */
const announceTools = (server: Server, onToolsChanged: NonNullable<Behind['onToolsChanged']>): void => {
  const forget = onToolsChanged(() => {
    // The client may be gone, or the handshake not through: then there is nobody to tell.
    server.sendToolListChanged().catch(() => {});
  });
  const before = server.onclose;
  server.onclose = () => {
    before?.();
    forget();
  };
};

export const doorFor = (behind: Behind): Server => {
  const { skills, onToolsChanged } = behind;
  const tools = onToolsChanged === undefined ? {} : { listChanged: true };
  const server = new Server(
    { ...behind.serverInfo },
    { capabilities: { tools, ...(skills && SKILLS_CAPABILITIES) }, instructions: behind.instructions },
  );
  if (skills !== undefined) serveSkills(server, skills);
  if (onToolsChanged !== undefined) announceTools(server, onToolsChanged);
  server.setRequestHandler('tools/list', async () => ({ tools: await behind.listTools() }) as never);
  server.fallbackRequestHandler = async (request: JSONRPCRequest, ctx: ServerContext) => {
    if (request.method !== 'tools/call') {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    }
    const params = request.params ?? {};
    const client = clientOf(server, ctx);
    behind.accepted?.(ctx.mcpReq.envelope, client);
    return answer(
      await behind.call({
        name: params.name,
        args: params.arguments,
        client,
        host: hostOf(params._meta),
        cancellation: cancelledBy(ctx.mcpReq.signal),
        meta: params._meta,
        onProgress: progressTo(params._meta, ctx),
      }),
      ctx.mcpReq.envelope !== undefined,
    );
  };
  return server;
};
