// Makes the SDK's server for a connection, for the legacy or the modern protocol. `tools/call` reaches Colibri through the SDK's fallback
// handler, because the SDK's own handler would answer unknown tools and bad arguments before they are recorded.
import { randomUUID } from 'node:crypto';
import {
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Listing, Peer, Retry } from '../call/peer.js';
import { type CallRequest, NAMELESS } from '../call/request.js';
import { cancelledBy } from '../core/cancellation.js';
import type { Soon } from '../core/soon.js';
import type { Reply } from '../middleware/envelope.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { ClientIdentity } from '../proof/records.js';
import { asName } from '../redact/redact.js';
import { hostOf, type Opening, peerOf } from './client-peer.js';
import { forLegacyClient, progressTo } from './fast-lane.js';
import { answerRelayed, isRelayed, RELAYED_CAPABILITIES, type RelayHandlers, serveRelayed } from './relayed.js';
import { type HostedSkills, SKILLS_CAPABILITIES, serveSkills } from './skills.js';

export interface ListedTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** What a connection needs from the process to answer requests. */
export interface ConnectionHandlers {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions: string;
  /** The tools to list for the client with this name (empty if the client has none). */
  listTools(client: string): readonly ListedTool[] | Promise<readonly ListedTool[]>;
  /** Calls `listener` whenever a list has changed; returns a function that removes the listener. Present if lists may change. */
  onChanged?: ((listener: (what: Listing) => void) => () => void) | undefined;
  /** Called when a client has opened the connection. */
  opened?: ((peer: Peer) => void) | undefined;
  /** Answers requests for what other servers offer besides tools. */
  readonly relay?: RelayHandlers | undefined;
  call(request: CallRequest): Soon<Reply>;
  /** The skills to serve, if any. */
  readonly skills?: HostedSkills | undefined;
  /** Called when the SDK has accepted a call with this envelope (undefined for protocol 2025-11-25 and older). */
  accepted?(envelope: unknown, client: ClientIdentity | null, peer: Peer): void;
}

const text = (value: unknown): string => (typeof value === 'string' ? asName(value) : '');

const identity = (info: unknown, protocol: unknown): ClientIdentity | null => {
  if (typeof info !== 'object' || info === null) return null;
  const { name: client, version } = info as { name?: unknown; version?: unknown };
  return { name: text(client), version: text(version), protocol: text(protocol) };
};

/** The client's name and version: from the handshake (2025-11-25 and older) or from each request (2026-07-28). */
const clientOf = (server: Server, { mcpReq }: ServerContext): ClientIdentity | null => {
  const envelope = mcpReq.envelope as JsonObject | undefined;
  return envelope === undefined
    ? identity(server.getClientVersion(), server.getNegotiatedProtocolVersion())
    : identity(envelope[CLIENT_INFO_META_KEY], envelope[PROTOCOL_VERSION_META_KEY]);
};

const answer = (reply: Reply, isModern: boolean): Result => {
  if ('result' in reply) return { ...(isModern ? reply.result : forLegacyClient(reply.result)) };
  throw ProtocolError.fromError(reply.error.code, reply.error.message, reply.error.data);
};

const SAY: Readonly<Record<Listing, (server: Server) => Promise<void>>> = {
  tools: (server) => server.sendToolListChanged(),
  prompts: (server) => server.sendPromptListChanged(),
  resources: (server) => server.sendResourceListChanged(),
};

/** Tells the client of changed lists until the SDK server closes. The SDK knows whether the client subscribed. */
const announce = (server: Server, onChanged: NonNullable<ConnectionHandlers['onChanged']>): void => {
  const forget = onChanged((what) => {
    // A notification that cannot be sent is dropped: the client may be gone, or the handshake may not be finished.
    SAY[what](server).catch(() => {});
  });
  const before = server.onclose;
  server.onclose = () => {
    before?.();
    forget();
  };
};

const retryOf = ({ mcpReq }: ServerContext): Retry | undefined => {
  const requestState = mcpReq.requestState();
  if (mcpReq.inputResponses === undefined && requestState === undefined) return undefined;
  return {
    inputResponses: (mcpReq.inputResponses ?? {}) as JsonObject,
    requestState: typeof requestState === 'string' ? requestState : undefined,
  };
};

const capabilitiesOf = ({ skills, onChanged, relay }: ConnectionHandlers): ServerCapabilities => ({
  tools: onChanged === undefined ? {} : { listChanged: true },
  ...(skills && SKILLS_CAPABILITIES),
  ...(relay && RELAYED_CAPABILITIES),
});

/** Makes the SDK server. `opening`: what the client declared in its first message. */
export const doorFor = (handlers: ConnectionHandlers, opening: Opening): Server => {
  const { skills, onChanged, relay, serverInfo, instructions } = handlers;
  const server = new Server({ ...serverInfo }, { capabilities: capabilitiesOf(handlers), instructions });
  if (skills !== undefined) serveSkills(server, skills, { withResources: relay === undefined });
  if (relay !== undefined) serveRelayed(server, relay);
  if (onChanged !== undefined) announce(server, onChanged);
  server.setRequestHandler('tools/list', async (_request, ctx) => {
    return { tools: await handlers.listTools(clientOf(server, ctx)?.name ?? '') } as never;
  });
  const callOf = (ctx: ServerContext, params: JsonObject, named: Pick<CallRequest, 'name' | 'args'>): CallRequest => ({
    ...named,
    id: randomUUID(),
    client: clientOf(server, ctx),
    host: hostOf(params._meta),
    cancellation: cancelledBy(ctx.mcpReq.signal),
    meta: params._meta,
    // Progress that cannot be sent is dropped: the client may be gone.
    onProgress: progressTo(
      params._meta,
      (notification) => void ctx.mcpReq.notify(notification as never).catch(() => {}),
    ),
    peer: peerOf(server, opening, ctx),
    retry: retryOf(ctx),
    pair: undefined,
  });
  server.fallbackRequestHandler = async (request: JSONRPCRequest, ctx: ServerContext) => {
    const { method, params = {} } = request;
    const isModern = ctx.mcpReq.envelope !== undefined;
    if (method === 'tools/call') {
      const call = callOf(ctx, params, {
        name: typeof params.name === 'string' ? params.name : NAMELESS,
        args: params.arguments,
      });
      handlers.accepted?.(ctx.mcpReq.envelope, call.client, peerOf(server, opening, ctx));
      return answer(await handlers.call(call), isModern);
    }
    if (relay === undefined || !isRelayed(method))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const answered = await answerRelayed(relay, skills, {
      method,
      params,
      peer: peerOf(server, opening, ctx),
      signal: ctx.mcpReq.signal,
      asCall: () => callOf(ctx, params, { name: method, args: params }),
    });
    return 'reply' in answered ? answer(answered.reply, true) : { ...answered.result };
  };
  handlers.opened?.(peerOf(server, opening));
  return server;
};
