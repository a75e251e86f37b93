// Builds `_meta` of requests: we write the members that belong to one hop ourselves, and pass on those of the caller.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { isOurs } from '../../core/own-meta.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { Asker } from './link.js';

export interface LinkClient {
  readonly name: string;
  readonly version: string;
}

const isOfOneHop = (key: string): boolean =>
  key.startsWith('io.modelcontextprotocol/') || key === 'progressToken' || isOurs(key);

/** The members of `_meta` that every message of the new era carries. */
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

/** The envelope with the capabilities and log level of the client that asks. The old era has no envelope. */
export const envelopeFor = (envelope: JsonObject, asker: Asker | undefined): JsonObject =>
  asker === undefined || !(CAPABILITIES in envelope)
    ? envelope
    : {
        ...envelope,
        [CAPABILITIES]: asker.capabilities,
        ...(asker.logLevel !== undefined && { [LOG_LEVEL]: asker.logLevel }),
      };

/** Parameters of a message that is passed on, without what belongs to the hop that it came over. */
export const withoutHopMeta = (params: JsonObject): JsonObject => withMeta(params, {}) ?? params;

const isEmpty = (members: JsonObject): boolean => {
  for (const _key in members) return false;
  return true;
};

/** The parameters as they are sent, with `ours` in `_meta`, which is left out if it would be empty. */
export const withMeta = (params: JsonObject | undefined, ours: JsonObject): JsonObject | undefined => {
  if (params?._meta === undefined && isEmpty(ours)) return params;
  const { _meta, ...rest } = params ?? {};
  const theirs = Object.entries(typeof _meta === 'object' && _meta !== null ? _meta : {});
  const meta = { ...Object.fromEntries(theirs.filter(([key]) => !isOfOneHop(key))), ...ours };
  if (Object.keys(meta).length > 0) return { ...rest, _meta: meta };
  return params === undefined ? undefined : rest;
};
