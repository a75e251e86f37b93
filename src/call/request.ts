// One request on its way from the door to the connection of the server that answers it: made once, and handed on by reference.

import type { Cancellation } from '../core/cancellation.js';
import type { JsonObject } from '../proof/json-object.js';
import type { ClientIdentity, HostIdentity } from '../proof/records.js';
import type { Peer, Retry } from './peer.js';

export interface CallRequest {
  /** Unique among all calls; its records carry it. */
  readonly id: string;
  /** The tool's name as the client wrote it, or the method where the request is not for a tool. */
  readonly name: string;
  /** As they came. */
  readonly args: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
  /** The client's `_meta`. What belongs to our hop is taken off where the request leaves for a server. */
  readonly meta: unknown;
  /** Present where the client asked for progress. */
  readonly onProgress: OnProgress | undefined;
  readonly peer: Peer | undefined;
  /** Present where the client calls again with what it was asked for. */
  readonly retry: Retry | undefined;
  /** A check of our own: marked in its intent, and without a record it leaves nothing. */
  readonly check?: true | undefined;
}

/** What of a request concerns the server that it is sent to. */
export type OnwardRequest = Pick<CallRequest, 'id'> & {
  readonly [K in 'cancellation' | 'meta' | 'onProgress' | 'peer' | 'retry']?: CallRequest[K] | undefined;
};

export type OnProgress = (params: JsonObject) => void;

/** Stands for the name of a call that has none. */
export const NAMELESS = '?';
