// The types of the records that the switchboard writes about its servers, and of what a call's outcome says about its route (docs/audit-format.md).
import type { Subject } from './records.js';

/** How an attempt to have a server handle a call ended. */
export type AttemptEnd =
  /** The server answered with a result, with a result that has `isError`, or with a JSON-RPC error. */
  | 'result'
  | 'is_error'
  | 'error'
  /** The server answered with a question to the client, which has to call again. */
  | 'input'
  /** The attempt was refused because of the server's state, a full queue, or an HTTP status that is sent before a call is processed. */
  | 'refused'
  /** The server did not answer. */
  | 'timeout'
  | 'lost'
  | 'server_error'
  | 'cancelled';

/** One attempt to have one server handle a call. A server may be tried twice: a lost call is sent once more if that is safe. */
export interface RouteAttempt {
  readonly server: string;
  readonly tool: string;
  readonly how: AttemptEnd;
  readonly code?: string | undefined;
  /** Whether any part of the call was sent to the server. */
  readonly sent: boolean;
  readonly duration_ms: number;
}

/** The candidate servers for a call and the attempts. `name` is the route's name; null if the caller named the tool itself. */
export interface RouteNote {
  readonly name: string | null;
  /** The candidates in the order of the configuration, each in the state in which it was chosen or last skipped. */
  readonly candidates: readonly {
    readonly server: string;
    readonly tool: string;
    /** The state of the server's health; null if there is no such server. */
    readonly state: string | null;
    readonly eligible: boolean;
    readonly reason?: string | undefined;
  }[];
  readonly attempts: readonly RouteAttempt[];
}

/** A list of names; if the names would fill the record, their number and the SHA-256 of their RFC 8785 list. */
export type NameList = readonly string[] | { readonly count: number; readonly digest: string };

/** Texts from other programs are stored beside the record, with a salt of their own: they can be erased, and every proof remains valid. */
export interface KeptTexts {
  readonly texts?: 'stored' | undefined;
  readonly texts_digest?: string | undefined;
  readonly texts_bytes?: number | undefined;
}

/**
 * A transition of the health machine of one server, with everything that is needed to repeat it. Error texts, some of them the server's
 * own, are stored beside the record: `{detail, event, before}`.
 */
export interface HealthRecord extends KeptTexts {
  readonly kind: 'health';
  readonly instance: string;
  readonly server: string;
  readonly from: string;
  /** The new state; null if the server was removed from the configuration. */
  readonly to: string | null;
  /** The reason of the new state, or the event if the state has no reason. */
  readonly cause: string;
  /** Null if the new state has no reason. Older records hold the reason's text here. */
  readonly detail?: string | null | undefined;
  readonly event: unknown;
  /** The health machine's whole state before the event. */
  readonly before: unknown;
  /** The time of the event on the health machine's monotonic clock, in milliseconds. */
  readonly now_ms: number;
}

/** Says that the tools of a server have changed. `digest` is that of the new list of tools. */
export interface CatalogueRecord {
  readonly kind: 'catalogue';
  readonly instance: string;
  readonly server: string;
  readonly digest: string;
  readonly added: NameList;
  readonly removed: NameList;
  readonly changed: NameList;
  readonly subjects: readonly Subject[];
}

/** Says that a server has asked the person or the model behind the client something. The question itself is not recorded. */
export interface AskedRecord {
  readonly kind: 'asked';
  readonly instance: string;
  readonly server: string;
  /** The method of the question: `elicitation/create` or `sampling/createMessage`. */
  readonly method: string;
  /** The call during which the server asked; null if several were in flight. */
  readonly call: string | null;
}

/** Says that the servers in the switchboard's configuration of a process have changed. */
export interface ConfigRecord {
  readonly kind: 'config';
  readonly instance: string;
  readonly what: 'switchboard';
  readonly digest: string;
  readonly added: NameList;
  readonly removed: NameList;
  readonly changed: NameList;
}
