// The types of what a dial needs from the rest of the process.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../proof/json-object.js';
import type { Environment } from '../config/variables.js';
import type { EraMemory } from './era.js';
import type { LinkClient } from './meta.js';
import type { Watchdog } from './watchdog.js';

/** Answers a server's request to the client. A rejection with an integer `code` becomes that JSON-RPC error. */
export type AnswerServer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export interface DialDeps {
  /** Our own environment, of which servers inherit a part. */
  readonly env: Environment;
  readonly watchdog: Watchdog;
  readonly eras: EraMemory;
  /** The name and version that servers get from us. */
  readonly identity: LinkClient;
  /** What the connected client can be asked for now: the tools of a server of the old era may depend on it. */
  readonly capabilities: () => ClientCapabilities;
  /** `roots/list`, `sampling/createMessage`, `elicitation/create`; without it they are declined. */
  readonly onServerRequest?: AnswerServer;
  /** The monotonic clock. */
  readonly nowMs: () => number;
  /** The wall clock, because remembered eras outlive the process. */
  readonly epochMs: () => number;
}
