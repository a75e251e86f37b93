// One connection to a downstream server, and how one is made. Types only: what the backend asks of a connection, whoever
// provides it (a child process, streamable HTTP, a fake in a test).

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
  /** Frames of any kind that came on this link between sending and the end, but for answers to checks. */
  readonly frames: number;
  readonly elapsedMs: number;
}

export interface LinkRequest {
  readonly method: string;
  readonly params?: JsonObject;
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation | undefined;
  /** A check of ours: that it is answered says nothing about anything deeper, so its answer is no frame to other requests. */
  readonly isCheck?: true;
  /** Progress starts the time anew, up to a cap. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** For whom it is asked, which a server of the new era is told with every request. */
  readonly client?: Asker | undefined;
}

export interface Asker {
  /** What it can be asked for. */
  readonly capabilities: JsonObject;
  /** The least level of log messages that it wants. */
  readonly logLevel: string | undefined;
}

/** Lists of a server besides its tools. */
export type OtherList = 'prompts' | 'resources' | 'resourceTemplates';

export interface Link {
  readonly dial: number;
  readonly era: Era;
  /** What the server says that it has. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  /** Never rejects. */
  request(request: LinkRequest): Promise<LinkAnswer>;
  /** All pages of `tools/list`, past any cache. */
  listTools(timeoutMs: number): Promise<readonly DeclaredTool[]>;
  /** All pages; none where the server has no such list. Rejects like `listTools`. */
  list(what: OtherList, timeoutMs: number): Promise<readonly JsonObject[]>;
  /** Nobody waits for it. Servers of the new era take no notifications. */
  notify(method: string, params?: JsonObject): void;
  /** From now on `notified` tells of changes of these resources, and of no others. */
  watch(uris: readonly string[]): void;
  /** Liveness: process alive and pipe open, or HTTP reachable. Readiness: `server/discover` or `ping`. */
  check(signal: Exclude<CheckSignal, 'capability'>, timeoutMs: number): Promise<LinkAnswer>;
  /** Lines on stdout that were no JSON-RPC. */
  readonly noise: number;
  /** The end of what the server said on stderr, bounded. */
  readonly stderr: string;
  /** With `drain` requests in flight may end first; without it they, and a drain under way, are cut short. Never rejects;
   * resolves when nothing is left. */
  close(drain: boolean): Promise<void>;
}

export interface LinkEvents {
  /** Once, however it went. Not after `close`. */
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
  /** The machine gave up waiting, or the server is gone from the configuration. */
  readonly signal: AbortSignal;
  readonly startTimeoutMs: number;
}

/** Makes one connection: handshake done and catalogue read, or why not. Never rejects. */
export type Dial = (request: DialRequest) => Promise<DialEnd>;
