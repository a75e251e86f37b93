// Makes the `Peer` (call/peer.ts) through which the rest of the process sees the connected client.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Era, Peer } from '../call/peer.js';
import { CORE_LIMITS } from '../core/limits.js';
import { isObject, type JsonObject } from '../proof/json-object.js';

/** What a client declares in its first message. */
export interface Opening {
  readonly era: Era;
  readonly capabilities: JsonObject;
}

const members = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The client's capabilities, from its handshake or envelope. Read here because servers are connected with them before the SDK has answered. */
export const capabilitiesIn = (message: JSONRPCMessage): JsonObject | undefined => {
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
      // Failures are ignored: the client may be gone, or the handshake may not be finished.
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
