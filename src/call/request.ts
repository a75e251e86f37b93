// One request of a client, from the wire to the server that answers it. It is made once and passed by reference.

import type { Cancellation } from '../core/cancellation.js';
import type { Pair } from '../ledger/calls/pair.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { ClientIdentity, HostIdentity } from '../proof/records.js';
import type { Peer, Retry } from './peer.js';

export interface CallRequest {
  /** An id that no other call has; the call's records carry it. */
  readonly id: string;
  /** The tool's name as the client wrote it, or the method if the request is not a call of a tool. */
  readonly name: string;
  /** The arguments as the client sent them. */
  readonly args: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
  /** The client's `_meta`. Members that concern only the client's connection to Colibri are removed before the request goes to a server. */
  readonly meta: unknown;
  /** Sends progress to the client; undefined if the client did not ask for progress. */
  readonly onProgress: OnProgress | undefined;
  readonly peer: Peer | undefined;
  /** The client's answers to a server's questions; undefined if the client calls for the first time. */
  readonly retry: Retry | undefined;
  /** The call's two records, for who must commit the first of them before the call goes on; set by stage audit-enter, for calls of other servers' tools. */
  pair?: Pair | undefined;
  /** True for a health check that Colibri itself makes. The check's records say so, and a check that cannot be recorded is not sent. */
  readonly check?: true | undefined;
}

/** The part of a request that is used to send it on to another server. */
export type OnwardRequest = Pick<CallRequest, 'id'> & {
  readonly [K in 'cancellation' | 'client' | 'meta' | 'name' | 'onProgress' | 'pair' | 'peer' | 'retry']?:
    | CallRequest[K]
    | undefined;
};

export type OnProgress = (params: JsonObject) => void;

/** The name that is recorded for a call without a name. */
export const NAMELESS = '?';
