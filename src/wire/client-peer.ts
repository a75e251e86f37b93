// The client behind a door, as the rest of the process sees it (peer.ts).

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

/** What a client says of itself in its first message. */
export interface Opening {
  readonly era: Era;
  readonly capabilities: JsonObject;
}

const members = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Of the handshake, or of the envelope. Servers are dialled by it before the SDK has answered. */
export const capabilitiesIn = (message: JSONRPCMessage): JsonObject | undefined => {
  if (!('method' in message) || !('id' in message)) return undefined;
  const params = members(message.params);
  if (message.method === 'initialize') return members(params.capabilities);
  const told = members(params._meta)[CLIENT_CAPABILITIES_META_KEY];
  return isObject(told) ? told : undefined;
};

/** What is asked for is the server's business: nothing is taken from questions and answers. */
const ANYTHING = z.looseObject({});

const nothing = (): void => {};

/** Of the connection, or of one request: then what is said belongs to that request. */
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
      // The client may be gone, or the handshake not through: then there is nobody to tell.
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
