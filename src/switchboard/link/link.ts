// The types of one connection to a server (a link) and of how a link is made (a dial). Code that uses a link does not see whether a child
// process, streamable HTTP, or a fake in a test provides it.

import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client';
import type { LargeResult, LastWords } from '../../call/answer.js';
import type { Era, Listing } from '../../call/peer.js';
import type { Cancellation } from '../../core/cancellation.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Account, CheckSignal, DialFault } from '../health/state.js';

/** A tool's definition, unchanged from what its server sent. */
export interface DeclaredTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [key: string]: unknown;
}

/** How a request over a link (a connection to a server) ended; server/call.ts decides what that says about the server's health. */
export type LinkEnd =
  | { readonly how: 'response'; readonly result: JsonObject }
  /** Only for requests that take large results. */
  | { readonly how: 'response'; readonly large: LargeResult }
  | {
      readonly how: 'response';
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    }
  | {
      /** `cut`: Colibri cancelled the request, because another server could serve the call sooner. */
      readonly how: 'timeout' | 'cancelled' | 'lost' | 'server_error' | 'cut';
      /** The HTTP status, if the server answered with one. */
      readonly status?: number;
      /** How the connection was lost, if that is known. */
      readonly last?: LastWords | undefined;
    }
  | { readonly how: 'auth_required'; readonly status: 401 | 403 }
  | { readonly how: 'throttled'; readonly retryAfterMs: number | null };

export interface LinkAnswer {
  readonly end: LinkEnd;
  /** True if any part of the request was written to the pipe or the socket. */
  readonly sent: boolean;
  /** How many messages of any kind the server sent while the request was in flight; responses to health checks are not counted. */
  readonly frames: number;
  readonly elapsedMs: number;
}

export interface LinkRequest {
  readonly method: string;
  readonly params?: JsonObject;
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation | undefined;
  /** True for a health check. The check's response proves nothing about calls, so it does not count in `frames` of other requests. */
  readonly isCheck?: true;
  /** True if a large result need not be parsed. */
  readonly takesLarge?: true;
  /** Called with the parameters of each progress notification. Progress restarts the timeout, but not without end (`proxiedCallMs`). */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** The client for which the request is sent; servers of protocol 2026-07-28 are told about the client with every request. */
  readonly client?: Asker | undefined;
}

export interface Asker {
  readonly capabilities: JsonObject;
  /** The lowest level of log messages that the client wants. */
  readonly logLevel: string | undefined;
}

/** The lists that a server may have besides its list of tools. */
export type OtherList = 'prompts' | 'resources' | 'resourceTemplates';

export interface Link {
  readonly dial: number;
  readonly era: Era;
  /** The MCP capabilities that the server declares. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  /** Sends a request. Calls `done` with its end exactly once, and not before this method returns. */
  send(request: LinkRequest, done: (answer: LinkAnswer) => void): void;
  /** Sends a request and resolves with its end. The promise never rejects. */
  request(request: LinkRequest): Promise<LinkAnswer>;
  /** Reads all pages of `tools/list` from the server, not from a cache. Rejects with a ListError if that fails. */
  listTools(timeoutMs: number): Promise<readonly DeclaredTool[]>;
  /** Reads all pages of a list; returns an empty list if the server has none. Rejects with a ListError if reading fails. */
  list(what: OtherList, timeoutMs: number): Promise<readonly JsonObject[]>;
  /** Sends a notification without waiting. Does nothing with servers of protocol 2026-07-28, which accept no notifications. */
  notify(method: string, params?: JsonObject): void;
  /** Subscribes to changes of exactly these resources, which the event `notified` reports; earlier subscriptions end. */
  watch(uris: readonly string[]): void;
  /** Checks liveness (the process lives and its pipe is open, or its URL answers) or readiness (`server/discover` or `ping` is answered). */
  check(signal: Exclude<CheckSignal, 'capability'>, timeoutMs: number): Promise<LinkAnswer>;
  /** How many lines of the server's stdout were not JSON-RPC. */
  readonly noise: number;
  /** The last part of what the server wrote to stderr. */
  readonly stderr: string;
  /** Closes the link. If `drain` is true, requests in flight may end first; if false, they end now, even if they were being waited for. */
  close(drain: boolean): Promise<void>;
}

export interface LinkEvents {
  /** Called once when the connection is lost, whatever the cause, and not after `close`. */
  lost(how: Account): void;
  listChanged(what: Listing): void;
  /** Called for `notifications/message` and `notifications/resources/updated` of the server. */
  notified(method: string, params: JsonObject): void;
}

/** A request that was given to a carrier (a pipe or HTTP) to be sent. */
export interface Posted {
  /** A signal that is aborted when the request has ended without a response, or when the stream of its response must be closed. */
  readonly signal: AbortSignal;
  /**
   * Ends the request, because no response will come. `sent`: true if the server may have read the request. Returns false if the request
   * had ended before, for instance with a response.
   */
  end(end: LinkEnd, sent: boolean): boolean;
  /** True if other requests are in flight, too: the messages of this turn of the event loop may then be written together. */
  readonly hasCompany: boolean;
  /** Closes the HTTP stream that brought the response, because the rest of that stream is of no use. */
  cut(): void;
}

/** Sends messages to a server, over the pipe of a process or over HTTP. */
export interface Carrier {
  /** Sends a request; throws if nothing was sent. */
  post(frame: JSONRPCRequest, posted: Posted): void;
  /** Sends a notification. Never throws. */
  notify(frame: JSONRPCNotification): void;
  /** Called when the response to a request has come. The HTTP stream that brought the response may still be open. */
  answered?(posted: Posted): void;
}

export type DialEnd =
  | { readonly link: Link; readonly tools: readonly DeclaredTool[] }
  | ({ readonly fault: DialFault } & Account)
  | { readonly auth: 401 | 403 }
  | { readonly throttled: number | null };

export interface DialRequest {
  readonly dial: number;
  readonly events: LinkEvents;
  /** Aborts the attempt to connect when the health machine gave up waiting, or the server was removed from the configuration. */
  readonly signal: AbortSignal;
  readonly startTimeoutMs: number;
}

/** Connects to a server, does the handshake and reads its tools. Resolves with the link, or with the reason of the failure; never rejects. */
export type Dial = (request: DialRequest) => Promise<DialEnd>;
