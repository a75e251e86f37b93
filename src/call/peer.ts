// The connected client as one of its requests describes it, and the methods that other servers answer for the client. Types only.
import type { JsonObject } from '../proof/canonical-json.js';

/** Which protocol a peer speaks: `legacy`: 2025-11-25 and older, with a handshake. `modern`: 2026-07-28 and newer, with an envelope on every request. */
export type Era = 'legacy' | 'modern';

export interface Peer {
  readonly era: Era;
  /** The client's capabilities, from its handshake (legacy protocol) or from this request (modern protocol). */
  readonly capabilities: JsonObject;
  /** The lowest level of log messages that this request asks for; undefined for legacy clients. */
  readonly logLevel: string | undefined;
  /** Sends a notification to the client. Does not wait, and ignores failures. */
  notify(method: string, params: JsonObject): void;
  /** Sends a request to a legacy client. The promise rejects with an error that has the integer `code` of the client's answer. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What a client of protocol 2026-07-28 sends when it calls again with the answers to a server's questions. */
export interface Retry {
  readonly inputResponses: JsonObject;
  readonly requestState: string | undefined;
}

/** The methods, besides `tools/call`, that other servers answer. */
export const RELAYED = [
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
] as const;

export type RelayedMethod = (typeof RELAYED)[number];

/** A list of a server whose changes are announced to clients. */
export type Listing = 'tools' | 'prompts' | 'resources';
