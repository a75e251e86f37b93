// Builds the `_meta` of requests to servers. Colibri itself writes the members that belong to one connection (hop), and passes on all other
// members of the caller's `_meta`.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../proof/canonical-json.js';
import { isOurs } from '../../proof/result-text.js';
import type { Asker } from './link.js';

export interface LinkClient {
  readonly name: string;
  readonly version: string;
}

const isOfOneHop = (key: string): boolean =>
  key.startsWith('io.modelcontextprotocol/') || key === 'progressToken' || isOurs(key);

/** The members of `_meta` (the envelope) that every message of protocol 2026-07-28 carries. */
export const modernEnvelope = (
  protocolVersion: string,
  clientInfo: LinkClient,
  clientCapabilities: ClientCapabilities,
): JsonObject => ({
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
});

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** The `_meta` members of a request (the envelope) with the asking client's capabilities and log level. Older protocols have no envelope. */
export const envelopeFor = (envelope: JsonObject, asker: Asker | undefined): JsonObject =>
  asker === undefined || !(CAPABILITIES in envelope)
    ? envelope
    : {
        ...envelope,
        [CAPABILITIES]: asker.capabilities,
        ...(asker.logLevel !== undefined && { [LOG_LEVEL]: asker.logLevel }),
      };

/** The parameters of a message without the `_meta` members that belong to the connection over which the message came. */
export const withoutHopMeta = (params: JsonObject): JsonObject => withMeta(params, {}) ?? params;

const isEmpty = (members: JsonObject): boolean => {
  for (const _key in members) return false;
  return true;
};

/** The parameters of a message as they are sent, with `ours` in `_meta`; an empty `_meta` is left out. */
export const withMeta = (params: JsonObject | undefined, ours: JsonObject): JsonObject | undefined => {
  if (params?._meta === undefined && isEmpty(ours)) return params;
  const { _meta, ...rest } = params ?? {};
  const theirs = Object.entries(typeof _meta === 'object' && _meta !== null ? _meta : {});
  const meta = { ...Object.fromEntries(theirs.filter(([key]) => !isOfOneHop(key))), ...ours };
  if (Object.keys(meta).length > 0) return { ...rest, _meta: meta };
  return params === undefined ? undefined : rest;
};
