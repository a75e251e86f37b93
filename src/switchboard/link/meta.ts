// `_meta` of a request: what belongs to one hop is written by us, what belongs to the caller passes.
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

/** The envelope that every message of the new era carries. */
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

/** The envelope with what is true of the one for whom it is asked. In the old era there is none. */
export const envelopeFor = (envelope: JsonObject, asker: Asker | undefined): JsonObject =>
  asker === undefined || !(CAPABILITIES in envelope)
    ? envelope
    : {
        ...envelope,
        [CAPABILITIES]: asker.capabilities,
        ...(asker.logLevel !== undefined && { [LOG_LEVEL]: asker.logLevel }),
      };

/** Parameters of another hop's message, as they go on. */
export const withoutHopMeta = (params: JsonObject): JsonObject => withMeta(params, {}) ?? params;

const isEmpty = (members: JsonObject): boolean => {
  for (const _key in members) return false;
  return true;
};

/** The parameters as they go on the wire. `_meta` is left out when nothing is in it. */
export const withMeta = (params: JsonObject | undefined, ours: JsonObject): JsonObject | undefined => {
  if (params?._meta === undefined && isEmpty(ours)) return params;
  const { _meta, ...rest } = params ?? {};
  const theirs = Object.entries(typeof _meta === 'object' && _meta !== null ? _meta : {});
  const meta = { ...Object.fromEntries(theirs.filter(([key]) => !isOfOneHop(key))), ...ours };
  if (Object.keys(meta).length > 0) return { ...rest, _meta: meta };
  return params === undefined ? undefined : rest;
};
