// How a request to another server ended: one union type that the connection, the switchboard and the stages of a call share. Types only.
import type { JsonObject } from '../proof/canonical-json.js';
import type { AttemptEnd, RouteNote } from '../proof/switchboard-records.js';

/** A result as another server returned it, or a refusal by Colibri in the form of a tool's result. */
export type NativeResult = JsonObject;

/** A result of another server that is passed on as the bytes that the server sent, because it is too large to be parsed and written again. */
export interface LargeResult {
  /** What stands for the result until it is written: its `_meta`, and under a symbol the bytes of its other members (wire/spliced.ts). */
  readonly result: NativeResult;
  /** The salted digest of the bytes of the result as the server sent them, and its salt. */
  readonly digest: string;
  readonly salt: Buffer;
  /** The URIs of resources that the result links to or contains. */
  readonly links: readonly string[];
  /** Parses the result as the server sent it. This takes long, and is for those that cannot do without. */
  whole(): NativeResult;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** An error of Colibri that replaces another server's answer. */
export interface RefusalBody {
  readonly code: string;
  readonly status?: number;
  readonly message: string;
  readonly details: JsonObject;
}

/** The key in `_meta` under which a refusal carries its error as an object. */
export const REFUSAL_KEY = 'dev.colibri/refusal';

export interface RefusalResult {
  readonly isError: true;
  readonly content: readonly [TextBlock, TextBlock];
  readonly _meta: Readonly<Record<typeof REFUSAL_KEY, { readonly ok: false; readonly error: RefusalBody }>>;
}

/** One attempt to send the request to a server, and how it ended. */
export interface Try {
  readonly how: AttemptEnd;
  /** An error code of Colibri, or the number of the server's own error. */
  readonly code?: string;
  readonly sent: boolean;
  readonly durationMs: number;
  /** The approval that the call used up before it was sent. */
  readonly approval?: string | undefined;
  /** Who gave that approval, unless it is the word of the client that made the call. */
  readonly allowedBy?: readonly string[] | undefined;
}

export type Answer =
  /** The server's result, unchanged, even if its `isError` is true. */
  | { readonly kind: 'result'; readonly result: NativeResult }
  /** A result like `result`, but large: it is not parsed. `isError` is not true, and no input is required. */
  | { readonly kind: 'large'; readonly large: LargeResult }
  /** The server needs input: the client must answer `inputRequests` and call again with `requestState`. */
  | { readonly kind: 'input'; readonly result: NativeResult }
  /** The server's own JSON-RPC error. */
  | { readonly kind: 'error'; readonly error: RpcError }
  | Refused;

/** How the connection to a server was lost during a call, for the call's record. */
export interface LastWords {
  /** How it was lost, in Colibri's words. */
  readonly text: string;
  /** The last lines that the server wrote to stderr. */
  readonly stderr?: string | undefined;
}

export interface Refused {
  readonly kind: 'refused';
  /** How the connection was lost, if it was. The caller is not told; it is kept with the call's record. */
  readonly last?: LastWords | undefined;
  /** An error code of Colibri; or `cancelled` if the client has cancelled the request and waits for no answer. */
  readonly code: string;
  /** Whether the request was sent to the server. A sent request may have taken effect. */
  readonly sent: boolean;
  readonly refusal: RefusalResult;
}

/**
 * An answer and the attempts that led to it: one or two attempts, and one or two more for each time that the server asked the client for
 * input.
 */
export type TriedAnswer = Answer & { readonly tries: readonly Try[] };

/** What a provider of a route answered that the caller did not get, because another provider was asked. `attempt`: the place of its last attempt in the route's list. */
export interface Unserved {
  readonly attempt: number;
  readonly answer: Answer;
}

/** An answer and its routing, for the call's record: which tools of servers could have served the call, and which attempts were made. */
export type RoutedAnswer = Answer & { readonly route: RouteNote; readonly unserved?: readonly Unserved[] };
