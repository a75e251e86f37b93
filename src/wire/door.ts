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
import type { Reply } from '../middleware/envelope.js';
import { hostOf } from './host.js';
import { type HostedSkills, SKILLS_CAPABILITIES, serveSkills } from './skills.js';

/** A `tools/call` as it came. */
export interface CallRequest {
  readonly name: unknown;
  readonly args: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
}

export interface ListedTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface Behind {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions: string;
  listTools(): readonly ListedTool[];
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

const answer = (reply: Reply): Result => {
  if ('result' in reply) return { ...reply.result };
  throw ProtocolError.fromError(reply.error.code, reply.error.message, reply.error.data);
};

export const doorFor = (behind: Behind): Server => {
  const { skills } = behind;
  const server = new Server(
    { ...behind.serverInfo },
    { capabilities: { tools: {}, ...(skills && SKILLS_CAPABILITIES) }, instructions: behind.instructions },
  );
  if (skills !== undefined) serveSkills(server, skills);
  server.setRequestHandler('tools/list', () => ({ tools: behind.listTools() }) as never);
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
      }),
    );
  };
  return server;
};
