// The fast lane passes a `tools/call` from the transport straight to the stages if the SDK has accepted one with the same envelope
// on this connection, because the SDK's dispatch takes longer than the ledger. All other messages go through the SDK. A test sends
// the same traffic through the fast lane and through the SDK and compares the bytes.
import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import type { Peer } from '../call/peer.js';
import { type CallRequest, NAMELESS, type OnProgress } from '../call/request.js';
import { type Cancellation, LazyCancellation } from '../core/cancellation.js';
import { RPC } from '../core/rpc-codes.js';
import { asError } from '../errors.js';
import type { Reply, ToolResult } from '../middleware/envelope.js';
import { isObject, type JsonObject } from '../proof/json-object.js';
import type { ClientIdentity, HostIdentity } from '../proof/records.js';
import { asName } from '../redact/as-name.js';
import { WIRE_LIMITS } from './limits.js';

/** The members of `_meta` that the SDK takes out of requests of protocol 2026-07-28; older requests have none of them. */
const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
] as const;
const OWN_PARAMS = new Set(['name', 'arguments', '_meta']);

/** A text of the envelope of a request. The SDK's checks give the same result for two requests with the same text. */
const envelopeKey = (meta: unknown): string =>
  isObject(meta) ? ENVELOPE_KEYS.map((key) => JSON.stringify(meta[key]) ?? '').join('\n') : '\n\n\n';

/** The progress token in a request's `_meta`; undefined if the client did not ask for progress. */
export const progressTokenOf = (meta: unknown): string | number | undefined => {
  const token =
    typeof meta === 'object' && meta !== null ? (meta as { progressToken?: unknown }).progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
};

/** A result for a client of protocol 2025-11-25 or older, which allows only objects as structured content; newer servers may return any value. */
export const forLegacyClient = (result: ToolResult): ToolResult => {
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

/** The reply to a call whose handler threw, equal to the SDK's. */
const internalError = (thrown: unknown): Reply => ({
  error: { code: RPC.internal, message: asError(thrown).message },
});

export interface LaneWiring {
  call(request: CallRequest): Promise<Reply>;
  send(message: JSONRPCMessage): Promise<void>;
  readonly serverInfo: { readonly name: string; readonly version: string };
  onError(error: Error): void;
}

interface Known {
  readonly client: ClientIdentity | null;
  readonly peer: Peer;
  readonly modern: boolean;
}

export class FastLane {
  readonly #wiring: LaneWiring;
  readonly #accepted = new Map<string, Known>();
  readonly #running = new Map<RequestId, LazyCancellation>();

  constructor(wiring: LaneWiring) {
    this.#wiring = wiring;
  }

  /** Forgets the accepted envelopes, for a new SDK server: the client may now speak another protocol. */
  reset(): void {
    this.#accepted.clear();
  }

  /** Notes that the SDK has accepted a call with this envelope: further calls with it may take the fast lane. */
  accept(envelope: unknown, client: ClientIdentity | null, peer: Peer): void {
    if (this.#accepted.size >= WIRE_LIMITS.laneEnvelopes) this.#accepted.clear();
    this.#accepted.set(envelopeKey(envelope), { client, peer, modern: envelope !== undefined });
  }

  /** Returns true if the message is handled here; otherwise the SDK gets it. */
  take(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return false;
    if (message.method === 'notifications/cancelled') return this.#cancel(message.params);
    if (message.method !== 'tools/call' || !('id' in message)) return false;
    const { id, params } = message;
    if (!isObject(params) || this.#running.has(id)) return false;
    const known = this.#accepted.get(envelopeKey(params._meta));
    if (known === undefined || !Object.keys(params).every((key) => OWN_PARAMS.has(key))) return false;
    void this.#serve(id, params, known);
    return true;
  }

  /** Cancels all running calls, because the connection is closed. */
  abort(): void {
    for (const call of this.#running.values()) call.abort();
  }

  #cancel(params: unknown): boolean {
    const call = isObject(params) ? this.#running.get(params.requestId as RequestId) : undefined;
    call?.abort();
    return call !== undefined;
  }

  async #serve(id: RequestId, params: JsonObject, known: Known): Promise<void> {
    const cancellation = new LazyCancellation();
    this.#running.set(id, cancellation);
    try {
      const reply = await this.#replyTo(params, known, cancellation);
      if (!cancellation.aborted) await this.#wiring.send(this.#answer(id, reply, known.modern));
    } catch (thrown) {
      this.#wiring.onError(asError(thrown));
    } finally {
      this.#running.delete(id);
    }
  }

  async #replyTo(params: JsonObject, { client, peer }: Known, cancellation: Cancellation): Promise<Reply> {
    const { name, arguments: args, _meta: meta } = params;
    const onProgress = this.#progressTo(meta);
    const host = hostOf(meta);
    try {
      return await this.#wiring.call({
        id: randomUUID(),
        name: typeof name === 'string' ? name : NAMELESS,
        args,
        meta,
        client,
        cancellation,
        onProgress,
        peer,
        retry: undefined,
        host,
      });
    } catch (thrown) {
      return internalError(thrown);
    }
  }

  #answer(id: RequestId, reply: Reply, modern: boolean): JSONRPCMessage {
    if ('error' in reply) return { jsonrpc: '2.0', id, error: reply.error };
    const result = modern ? this.#complete(reply.result) : forLegacyClient(reply.result);
    return { result, jsonrpc: '2.0', id } as JSONRPCMessage;
  }

  #progressTo(meta: unknown): OnProgress | undefined {
    const progressToken = progressTokenOf(meta);
    if (progressToken === undefined) return undefined;
    return (params) => {
      const message = { jsonrpc: '2.0', method: 'notifications/progress', params: { ...params, progressToken } };
      this.#wiring.send(message as JSONRPCMessage).catch(this.#wiring.onError);
    };
  }

  /** The result with the members that protocol 2026-07-28 demands: it is marked as complete and names the server. */
  #complete(result: ToolResult): JsonObject {
    const meta = { ...result._meta, [SERVER_INFO_META_KEY]: this.#wiring.serverInfo };
    return result._meta === undefined
      ? { ...result, resultType: result.resultType ?? 'complete', _meta: meta }
      : { ...result, _meta: meta, resultType: result.resultType ?? 'complete' };
  }
}

// Which conversation, turn, model and agent a call belongs to, from the places where known clients write that in `_meta`.

const FIELDS: Readonly<Record<keyof HostIdentity, readonly (readonly string[])[]>> = {
  conversation: [['vscode.conversationId'], ['threadId']],
  turn: [['vscode.requestId'], ['x-codex-turn-metadata', 'turn_id']],
  model: [['x-codex-turn-metadata', 'model']],
  agent: [['x-codex-turn-metadata', 'agent']],
};

const at = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    root,
  );

export const hostOf = (meta: unknown): HostIdentity | undefined => {
  if (meta === undefined) return undefined;
  const found = Object.entries(FIELDS).flatMap(([field, paths]) => {
    const value = paths.map((path) => at(meta, path)).find((candidate) => typeof candidate === 'string');
    return typeof value === 'string' && value !== '' ? [[field, asName(value)] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
