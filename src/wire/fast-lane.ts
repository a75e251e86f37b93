// The fast lane passes a `tools/call` from the transport straight to the stages if the SDK has accepted one with the same envelope
// on this connection, because the SDK's dispatch takes longer than the ledger. All other messages go through the SDK. A test sends
// the same traffic through the fast lane and through the SDK and compares the bytes.
import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Notification,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SERVER_INFO_META_KEY,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Peer } from '../call/peer.js';
import { type CallRequest, NAMELESS, type OnProgress } from '../call/request.js';
import { type Cancellation, LazyCancellation } from '../core/cancellation.js';
import { RPC } from '../core/rpc-codes.js';
import type { Soon } from '../core/soon.js';
import { asError } from '../errors.js';
import type { Reply, ToolResult } from '../middleware/envelope.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import type { ClientIdentity } from '../proof/records.js';
import { hostOf, type MessageObserver } from './client-peer.js';
import { WIRE_LIMITS } from './limits.js';
import { LineTransport } from './line-transport.js';
import { unspliced } from './spliced.js';

/** The members of `_meta` that the SDK takes out of requests of protocol 2026-07-28; older requests have none of them. */
const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
] as const;
const OWN_PARAMS = new Set(['name', 'arguments', '_meta']);

/** The envelope of a request as a text. The SDK's checks of the envelope give the same result for two requests with the same text. */
const envelopeKey = (meta: unknown): string =>
  isObject(meta) ? ENVELOPE_KEYS.map((key) => JSON.stringify(meta[key]) ?? '').join('\n') : '\n\n\n';

/** The function that sends a call's progress with the client's own token; undefined if the client did not ask for progress. */
export const progressTo = (meta: unknown, send: (notification: Notification) => void): OnProgress | undefined => {
  const progressToken = isObject(meta) ? meta.progressToken : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return (params) => send({ method: 'notifications/progress', params: { ...params, progressToken } });
};

/**
 * Adapts a result for a client of protocol 2025-11-25 or older, which allows only objects as structured content. Newer servers may return
 * any value.
 */
export const forLegacyClient = (result: ToolResult): ToolResult => {
  const { structuredContent, content } = result as { structuredContent?: unknown; content?: unknown };
  if (structuredContent === undefined || isObject(structuredContent)) return result;
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
  readonly transport: Transport;
  /** False if every message goes through the SDK. */
  readonly isOpen: boolean;
  /** Sees every message that the SDK gets, before the SDK does. */
  readonly observer: MessageObserver;
  call(request: CallRequest): Soon<Reply>;
  readonly serverInfo: { readonly name: string; readonly version: string };
  onError(error: Error): void;
}

interface Known {
  readonly client: ClientIdentity | null;
  readonly peer: Peer;
  readonly modern: boolean;
}

/** The transport that is given to the SDK. It wraps the real transport. */
export class FastLane implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Resolves or rejects when the real transport has started or failed to start. */
  started: Promise<void> = Promise.resolve();
  readonly closed: Promise<void>;
  #end = () => {};
  readonly #wiring: LaneWiring;
  readonly #accepted = new Map<string, Known>();
  readonly #running = new Map<RequestId, LazyCancellation>();

  constructor(wiring: LaneWiring) {
    this.#wiring = wiring;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The SDK's serveStdio calls this once, after it has set the handlers. serveStdio does not report a failed start, so `started` does. */
  start(): Promise<void> {
    const { transport, observer } = this.#wiring;
    transport.onmessage = (message, extra) => {
      if (this.#take(message)) return;
      observer.look(message);
      this.onmessage?.(message, extra);
    };
    transport.onerror = (error) => this.onerror?.(error);
    transport.onclose = () => {
      this.#end();
      for (const call of this.#running.values()) call.abort();
      this.onclose?.();
    };
    this.started = transport.start();
    return this.started;
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { transport } = this.#wiring;
    return transport.send(transport instanceof LineTransport ? message : unspliced(message), options);
  }

  close(): Promise<void> {
    return this.#wiring.transport.close();
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
  #take(message: JSONRPCMessage): boolean {
    if (!this.#wiring.isOpen || !('method' in message)) return false;
    if (message.method === 'notifications/cancelled') return this.#cancel(message.params);
    if (message.method !== 'tools/call' || !('id' in message)) return false;
    const { id, params } = message;
    if (!isObject(params) || this.#running.has(id)) return false;
    const known = this.#accepted.get(envelopeKey(params._meta));
    if (known === undefined || !Object.keys(params).every((key) => OWN_PARAMS.has(key))) return false;
    this.#serve(id, params, known);
    return true;
  }

  #cancel(params: unknown): boolean {
    const call = isObject(params) ? this.#running.get(params.requestId as RequestId) : undefined;
    call?.abort();
    return call !== undefined;
  }

  #serve(id: RequestId, params: JsonObject, known: Known): void {
    const cancellation = new LazyCancellation();
    this.#running.set(id, cancellation);
    const answer = (reply: Reply): void => {
      this.#running.delete(id);
      if (cancellation.aborted) return;
      this.send(this.#answer(id, reply, known.modern)).catch(this.#wiring.onError);
    };
    const reply = this.#replyTo(params, known, cancellation);
    if (reply instanceof Promise) reply.then(answer, (thrown: unknown) => answer(internalError(thrown)));
    else answer(reply);
  }

  #replyTo(params: JsonObject, { client, peer }: Known, cancellation: Cancellation): Soon<Reply> {
    const { name, arguments: args, _meta: meta } = params;
    const onProgress = progressTo(meta, (notification) => {
      this.send({ jsonrpc: '2.0', ...notification } as JSONRPCMessage).catch(this.#wiring.onError);
    });
    try {
      return this.#wiring.call({
        id: randomUUID(),
        name: typeof name === 'string' ? name : NAMELESS,
        args,
        meta,
        client,
        cancellation,
        onProgress,
        peer,
        retry: undefined,
        host: meta === undefined ? undefined : hostOf(meta),
        pair: undefined,
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

  /** The result with the members that protocol 2026-07-28 demands: it is marked as complete and names the server. */
  #complete(result: ToolResult): JsonObject {
    const meta = { ...result._meta, [SERVER_INFO_META_KEY]: this.#wiring.serverInfo };
    return result._meta === undefined
      ? { ...result, resultType: result.resultType ?? 'complete', _meta: meta }
      : { ...result, _meta: meta, resultType: result.resultType ?? 'complete' };
  }
}
