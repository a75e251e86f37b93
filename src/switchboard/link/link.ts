// The types of one connection to a server and of how it is made. Whoever uses a connection does not see what provides it: a child process,
// streamable HTTP, or a fake in a test.

import type { Era, Listing } from '../../call/peer.js';
import type { Cancellation } from '../../core/cancellation.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { Account, CheckSignal, DialFault } from '../health/state.js';

/** A tool as its server declares it, untouched. */
export interface DeclaredTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [key: string]: unknown;
}

/** How a request over a link ended; call-verdict.ts judges it. */
export type LinkEnd =
  | { readonly how: 'response'; readonly result: JsonObject }
  | {
      readonly how: 'response';
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    }
  | {
      readonly how: 'timeout' | 'cancelled' | 'lost' | 'server_error';
      /** An HTTP status, where there was one. */
      readonly status?: number;
    }
  | { readonly how: 'auth_required'; readonly status: 401 | 403 }
  | { readonly how: 'throttled'; readonly retryAfterMs: number | null };

export interface LinkAnswer {
  readonly end: LinkEnd;
  /** Was anything handed to the pipe or the socket? */
  readonly sent: boolean;
  /** Messages of any kind that came on this link between sending and the end, except responses to checks. */
  readonly frames: number;
  readonly elapsedMs: number;
}

export interface LinkRequest {
  readonly method: string;
  readonly params?: JsonObject;
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation | undefined;
  /** A health check. Its response proves nothing about calls, so it does not count in `frames` of other requests. */
  readonly isCheck?: true;
  /** Progress restarts the timeout, up to a cap. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** The client on whose behalf it is sent; servers of the new era are told with every request. */
  readonly client?: Asker | undefined;
}

export interface Asker {
  /** What the client can be asked for. */
  readonly capabilities: JsonObject;
  /** The lowest level of log messages that it wants. */
  readonly logLevel: string | undefined;
}

/** Lists of a server besides its tools. */
export type OtherList = 'prompts' | 'resources' | 'resourceTemplates';

export interface Link {
  readonly dial: number;
  readonly era: Era;
  /** The capabilities that the server declares. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  /** Never rejects. */
  request(request: LinkRequest): Promise<LinkAnswer>;
  /** All pages of `tools/list`, past any cache. */
  listTools(timeoutMs: number): Promise<readonly DeclaredTool[]>;
  /** All pages; none where the server has no such list. Rejects like `listTools`. */
  list(what: OtherList, timeoutMs: number): Promise<readonly JsonObject[]>;
  /** Does not wait until it is sent. Servers of the new era accept no notifications. */
  notify(method: string, params?: JsonObject): void;
  /** From now on `notified` reports changes of these resources, and of no others. */
  watch(uris: readonly string[]): void;
  /** Liveness: process alive and pipe open, or HTTP reachable. Readiness: `server/discover` or `ping`. */
  check(signal: Exclude<CheckSignal, 'capability'>, timeoutMs: number): Promise<LinkAnswer>;
  /** Lines on stdout that were not JSON-RPC. */
  readonly noise: number;
  /** The last part of what the server wrote to stderr. */
  readonly stderr: string;
  /** With `drain`, requests in flight may end first; without it they are cut short, also during a drain. Never rejects. */
  close(drain: boolean): Promise<void>;
}

export interface LinkEvents {
  /** Called once, whatever the cause, and not after `close`. */
  lost(how: Account): void;
  listChanged(what: Listing): void;
  /** `notifications/message`, `notifications/resources/updated`. */
  notified(method: string, params: JsonObject): void;
}

export type DialEnd =
  | { readonly link: Link; readonly tools: readonly DeclaredTool[] }
  | ({ readonly fault: DialFault } & Account)
  | { readonly auth: 401 | 403 }
  | { readonly throttled: number | null };

export interface DialRequest {
  readonly dial: number;
  readonly events: LinkEvents;
  /** Aborted when the health machine gave up waiting, or the server was removed from the configuration. */
  readonly signal: AbortSignal;
  readonly startTimeoutMs: number;
}

/** Makes one connection, with the handshake done and the catalogue read, or says why that failed. Never rejects. */
export type Dial = (request: DialRequest) => Promise<DialEnd>;
