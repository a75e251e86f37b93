// One request of a client, from the wire to the server that answers it. It is made once and passed by reference.

import type { Cancellation } from '../core/cancellation.js';
import type { JsonObject } from '../proof/json-object.js';
import type { ClientIdentity, HostIdentity } from '../proof/records.js';
import type { Peer, Retry } from './peer.js';

export interface CallRequest {
  /** Unique among all calls; its records carry it. */
  readonly id: string;
  /** The tool's name as the client wrote it, or the method if the request is not a call of a tool. */
  readonly name: string;
  /** As the client sent them. */
  readonly args: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
  /** The client's `_meta`. Members that concern only its connection to us are removed before the request goes to a server. */
  readonly meta: unknown;
  /** Present if the client asked for progress. */
  readonly onProgress: OnProgress | undefined;
  readonly peer: Peer | undefined;
  /** Present if the client calls again with the answers to questions. */
  readonly retry: Retry | undefined;
  /** A health check of our own: marked in its intent, and not sent if it cannot be recorded. */
  readonly check?: true | undefined;
}

/** The part of a request that the server needs. */
export type OnwardRequest = Pick<CallRequest, 'id'> & {
  readonly [K in 'cancellation' | 'meta' | 'onProgress' | 'peer' | 'retry']?: CallRequest[K] | undefined;
};

export type OnProgress = (params: JsonObject) => void;

/** The recorded name of a call without a name. */
export const NAMELESS = '?';
