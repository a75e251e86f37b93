// The client at the other end, as one of its requests sees it, and what is relayed for it. Types only.
import type { JsonObject } from '../proof/json-object.js';

/** The two eras of the protocol: with a handshake, and with an envelope on every request. */
export type Era = 'legacy' | 'modern';

export interface Peer {
  readonly era: Era;
  /** What the client can be asked for: of its handshake, or of this request. */
  readonly capabilities: JsonObject;
  /** New era: the least level of log messages that this request wants. */
  readonly logLevel: string | undefined;
  /** Nobody waits for it. */
  notify(method: string, params: JsonObject): void;
  /** Old era only. Rejects with an error that has the integer `code` of the client's answer. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What a client of the new era sends along when it calls again with what it was asked for. */
export interface Retry {
  readonly inputResponses: JsonObject;
  readonly requestState: string | undefined;
}

/** Requests that other servers answer besides calls of tools. */
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

/** Lists that may change. */
export type Listing = 'tools' | 'prompts' | 'resources';
