// The fast lane: a `tools/call` like one that the SDK has already accepted on this connection goes from the transport
// straight to the stages. The SDK's dispatch costs more than the ledger does. Everything else takes the SDK's way, and
// a test gives both lanes the same traffic and compares bytes.
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

/** What the SDK lifts out of a request of the new era; the old era has none of it. */
const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
] as const;
const OWN_PARAMS = new Set(['name', 'arguments', '_meta']);

/** Two requests with the same key are the same to the SDK's checks. */
const envelopeKey = (meta: unknown): string =>
  isObject(meta) ? ENVELOPE_KEYS.map((key) => JSON.stringify(meta[key]) ?? '').join('\n') : '\n\n\n';

/** Where a client wants progress sent, if it said so. */
export const progressTokenOf = (meta: unknown): string | number | undefined => {
  const token =
    typeof meta === 'object' && meta !== null ? (meta as { progressToken?: unknown }).progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
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

/** As the SDK answers a handler that threw. */
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

  /** A new door means that the era is open again. */
  reset(): void {
    this.#accepted.clear();
  }

  /** The SDK has let a call with this envelope through. */
  accept(envelope: unknown, client: ClientIdentity | null, peer: Peer): void {
    if (this.#accepted.size >= WIRE_LIMITS.laneEnvelopes) this.#accepted.clear();
    this.#accepted.set(envelopeKey(envelope), { client, peer, modern: envelope !== undefined });
  }

  /** Takes the message if it belongs here; otherwise the SDK gets it. */
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

  /** The connection is gone: nobody waits for what still runs. */
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
    const result = modern ? this.#complete(reply.result) : forOldEra(reply.result);
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

  /** The new era marks every result as complete and says who answered. */
  #complete(result: ToolResult): JsonObject {
    const meta = { ...result._meta, [SERVER_INFO_META_KEY]: this.#wiring.serverInfo };
    return result._meta === undefined
      ? { ...result, resultType: result.resultType ?? 'complete', _meta: meta }
      : { ...result, _meta: meta, resultType: result.resultType ?? 'complete' };
  }
}

// Which conversation a call belongs to, as far as the client says. A table of what clients put into `_meta`.

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
