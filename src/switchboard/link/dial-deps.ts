// The types of what a dial (an attempt to connect to a server) needs from the rest of the Colibri process.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../proof/json-object.js';
import type { Environment } from '../config/variables.js';
import type { EraMemory } from './era.js';
import type { LinkClient } from './meta.js';
import type { Watchdog } from './watchdog.js';

/** Answers a server's request to the client. A rejection with an integer `code` becomes a JSON-RPC error with that code. */
export type AnswerServer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export interface DialDeps {
  /** The environment of the Colibri process, of which servers inherit a part. */
  readonly env: Environment;
  readonly watchdog: Watchdog;
  readonly eras: EraMemory;
  /** The client name and version that Colibri sends to servers. */
  readonly identity: LinkClient;
  /** The connected client's current MCP capabilities, on which the tools of a server of protocol 2025-11-25 and older may depend. */
  readonly capabilities: () => ClientCapabilities;
  /** Answers `roots/list`, `sampling/createMessage` and `elicitation/create` of servers; if absent, these requests are declined. */
  readonly onServerRequest?: AnswerServer;
  /** The time of the monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** The time of the wall clock, in milliseconds; stored protocol versions of servers are dated with it, because they outlive the process. */
  readonly epochMs: () => number;
}
