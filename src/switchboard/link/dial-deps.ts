// What a dial needs from outside.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../proof/json-object.js';
import type { Environment } from '../config/variables.js';
import type { EraMemory } from './era.js';
import type { LinkClient } from './meta.js';
import type { Watchdog } from './watchdog.js';

/** Answers what a server asks of the client. A rejection with an integer `code` becomes that JSON-RPC error. */
export type AnswerServer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export interface DialDeps {
  /** Our own, of which servers inherit a part. */
  readonly env: Environment;
  readonly watchdog: Watchdog;
  readonly eras: EraMemory;
  /** As whom we introduce ourselves to servers. */
  readonly identity: LinkClient;
  /** What the connected client can be asked for, now: an old server's catalogue depends on it. */
  readonly capabilities: () => ClientCapabilities;
  /** `roots/list`, `sampling/createMessage`, `elicitation/create`; without it they are declined. */
  readonly onServerRequest?: AnswerServer;
  /** Monotonic. */
  readonly nowMs: () => number;
  /** The wall clock; era verdicts outlive the process. */
  readonly epochMs: () => number;
}
