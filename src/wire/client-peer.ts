// What Colibri knows of the connected client: its `Peer` (call/peer.ts), and what it reads in the client's messages.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type RequestId,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Era, Peer } from '../call/peer.js';
import { CORE_LIMITS } from '../core/limits.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import type { HostIdentity } from '../proof/records.js';
import { asName } from '../redact/redact.js';

/** What a client declares in its first message. */
export interface Opening {
  readonly era: Era;
  readonly capabilities: JsonObject;
}

const members = (value: unknown): JsonObject => (isObject(value) ? value : {});

/**
 * The client's capabilities, from its handshake or envelope. Read before the SDK has answered, because Colibri passes them on to the other
 * servers when it connects to them.
 */
const capabilitiesIn = (message: JSONRPCMessage): JsonObject | undefined => {
  if (!('method' in message) || !('id' in message)) return undefined;
  const params = members(message.params);
  if (message.method === 'initialize') return members(params.capabilities);
  const told = members(params._meta)[CLIENT_CAPABILITIES_META_KEY];
  return isObject(told) ? told : undefined;
};

/** The schema for questions and answers, which pass unchanged: the server that asked checks them. */
const ANYTHING = z.looseObject({});

const nothing = (): void => {};

/** The client of the connection; with `request`, the client of one request: then notifications and questions belong to that request. */
export const peerOf = (server: Server, { era, capabilities }: Opening, request?: ServerContext): Peer => {
  const envelope = request?.mcpReq.envelope as JsonObject | undefined;
  const logLevel = envelope?.[LOG_LEVEL_META_KEY];
  return {
    era,
    get capabilities() {
      return era === 'legacy'
        ? ((server.getClientCapabilities() as JsonObject | undefined) ?? capabilities)
        : members(envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? capabilities);
    },
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    notify: (method, params) => {
      const notification = { method, params } as never;
      // A notification that cannot be sent is dropped: the client may be gone, or the handshake may not be finished.
      (request === undefined ? server.notification(notification) : request.mcpReq.notify(notification)).catch(nothing);
    },
    ask: (method, params, signal) => {
      const options = { signal, timeout: CORE_LIMITS.proxiedCallMs };
      const question = { method, params } as never;
      return request === undefined
        ? server.request(question, ANYTHING, options)
        : request.mcpReq.send(question, ANYTHING, options);
    },
  };
};

// Reads a client's messages before the SDK gets them: its capabilities, which Colibri passes on to the other servers, and the resources
// that a client of protocol 2026-07-28 subscribes to, because the SDK does not expose its subscriptions.

const urisIn = (params: unknown): readonly string[] => {
  const uris = members(members(params).notifications).resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
};

export class MessageObserver {
  /** The client's capabilities, from its last message that had any. */
  capabilities: JsonObject = {};
  #isKnown = false;
  readonly #byRequest = new Map<RequestId, readonly string[]>();
  /** The ids of the subscriptions that are open and cover changes of the list of tools. */
  readonly #toolListens = new Set<RequestId>();
  readonly #onChange: ((uris: readonly string[]) => void) | undefined;

  /** `onChange` gets the URIs of the resources that are subscribed to now; without `onChange`, messages are not read. */
  constructor(onChange: ((uris: readonly string[]) => void) | undefined) {
    this.#onChange = onChange;
  }

  /** Whether the client is subscribed to changes of the list of tools. Only a client of protocol 2026-07-28 can be. */
  get listensToTools(): boolean {
    return this.#toolListens.size > 0;
  }

  look(message: JSONRPCMessage): void {
    if (this.#onChange === undefined || !('method' in message)) return;
    if (message.method === 'tools/call' && this.#isKnown) return;
    const capabilities = capabilitiesIn(message);
    this.#isKnown ||= capabilities !== undefined;
    this.capabilities = capabilities ?? this.capabilities;
    if (message.method === 'subscriptions/listen' && 'id' in message) this.#begin(message.id, message.params);
    else if (message.method === 'notifications/cancelled') this.#end(message.params?.requestId as RequestId);
  }

  #begin(id: RequestId, params: unknown): void {
    if (members(members(params).notifications).toolsListChanged === true) this.#toolListens.add(id);
    const uris = urisIn(params);
    if (uris.length === 0) return;
    this.#byRequest.set(id, uris);
    this.#tell();
  }

  #end(id: RequestId): void {
    this.#toolListens.delete(id);
    if (this.#byRequest.delete(id)) this.#tell();
  }

  #tell(): void {
    this.#onChange?.([...new Set([...this.#byRequest.values()].flat())]);
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
  path.reduce<unknown>((value, key) => members(value)[key], root);

export const hostOf = (meta: unknown): HostIdentity | undefined => {
  const found = Object.entries(FIELDS).flatMap(([field, paths]) => {
    const value = paths.map((path) => at(meta, path)).find((candidate) => typeof candidate === 'string');
    return typeof value === 'string' && value !== '' ? [[field, asName(value)] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
