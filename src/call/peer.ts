// The connected client as one of its requests describes it, and the requests that are relayed for it. Types only.
import type { JsonObject } from '../proof/json-object.js';

/** `legacy`: protocol 2025-11-25 and older, with a handshake. `modern`: 2026-07-28 and newer, with an envelope on every request. */
export type Era = 'legacy' | 'modern';

export interface Peer {
  readonly era: Era;
  /** The client's capabilities, from its handshake or from this request. */
  readonly capabilities: JsonObject;
  /** Modern only: the lowest level of log messages that this request wants. */
  readonly logLevel: string | undefined;
  /** Does not wait, and ignores failures. */
  notify(method: string, params: JsonObject): void;
  /** Legacy only. Rejects with an error that has the integer `code` of the client's answer. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What a modern client sends when it calls again with the answers to questions. */
export interface Retry {
  readonly inputResponses: JsonObject;
  readonly requestState: string | undefined;
}

/** The requests, besides calls of tools, that other servers answer. */
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
