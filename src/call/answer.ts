// How a request that was handed on to another server ended: one union from the connection's edge to the stages. Types only.
import type { JsonObject } from '../proof/json-object.js';
import type { AttemptEnd, RouteNote } from '../proof/records.js';

/** A result as another server gave it, or one of ours in the form its tools get. */
export type NativeResult = JsonObject;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** An error of ours in place of another server's answer. */
export interface RefusalBody {
  readonly code: string;
  readonly status?: number;
  readonly message: string;
  readonly details: JsonObject;
}

/** Where a refusal carries its error as an object. */
export const REFUSAL_KEY = 'dev.colibri/refusal';

export interface RefusalResult {
  readonly isError: true;
  readonly content: readonly [TextBlock, TextBlock];
  readonly _meta: Readonly<Record<typeof REFUSAL_KEY, { readonly ok: false; readonly error: RefusalBody }>>;
}

/** What became of one time that the request was meant to reach a server. */
export interface Try {
  readonly how: AttemptEnd;
  /** Ours, or the number of the server's own error. */
  readonly code?: string;
  readonly sent: boolean;
  readonly durationMs: number;
}

export type Answer =
  /** As the server gave it, `isError` included. */
  | { readonly kind: 'result'; readonly result: NativeResult }
  /** The client must say something first, and call again: `inputRequests` and `requestState`. */
  | { readonly kind: 'input'; readonly result: NativeResult }
  /** The server's own JSON-RPC error. */
  | { readonly kind: 'error'; readonly error: RpcError }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  /** `cancelled` has no reader: nobody waits for the answer any more. */
  readonly code: string;
  /** It may have done its work all the same. */
  readonly sent: boolean;
  readonly refusal: RefusalResult;
}

/** With the tries it took: one or two, and as many again for each answer of the client that the server asked for. */
export type TriedAnswer = Answer & { readonly tries: readonly Try[] };

/** With where it could go and where it went, for its record. */
export type RoutedAnswer = Answer & { readonly route: RouteNote };
